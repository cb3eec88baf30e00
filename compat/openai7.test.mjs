import OpenAI from 'openai'
import { openaiSuite } from './support/openai.mjs'

openaiSuite(OpenAI)
