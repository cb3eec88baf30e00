import OpenAI from 'openai6'
import { openaiSuite } from './support/openai.mjs'

openaiSuite(OpenAI)
