import t from 'tap'
import { Ending } from '../../../plugins/sandbox/ending.js'

void t.test('an end is told to all who wait, once, and to who comes later', t => {
  const ending = new Ending()
  const heard: string[] = []
  const forget = ending.on(() => heard.push('gone'))
  ending.on(({ message }) => heard.push(message))
  forget()
  ending.tell(new Error('first'))
  ending.tell(new Error('second'))
  t.same(heard, ['first'])
  ending.on(({ message }) => heard.push(`late ${message}`))
  t.same(heard, ['first', 'late first'])
  t.end()
})
