import type { Lesson } from './lesson.js'
import { makeReciter } from './reciter.js'

// The tasks that `--model demo` can recite: enough to see the whole flow from a prompt to a tested program.

const RECITED = 'The demo model recites this, it has not thought about it:'

const python = (source: string) => `\`\`\`python\n${source}\n\`\`\``
const typescript = (source: string) => `\`\`\`typescript\n${source}\n\`\`\``

export const DEMO_NAME = 'demo (it only recites)'

/** Prompts that the demo model can answer. svc-code runs their examples and reports the programs as verified. */
export const DEMO_PROMPTS = [
  'Write a function called add_numbers: add_numbers(1, 2) == 3',
  'Write a function called is_palindrome: is_palindrome("Never odd or even") == True, is_palindrome("hello") == False',
  'Write a function called fizzbuzz: fizzbuzz(5) == ["1", "2", "Fizz", "4", "Buzz"]',
  'Write a function called median: median([3, 1, 2]) == 2, median([4, 1, 3, 2]) == 2.5',
  "Write a TypeScript function called slugify: slugify('Hello World') === 'hello-world'"
]

const MEDIAN = python(`def median(values: list[float]) -> float:
    """The middle of the values in order; the mean of both if there are two."""
    if not values:
        raise ValueError("the median of nothing is not defined")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2`)

const MEDIAN_TESTS = python(`assert median([3, 1, 2]) == 2
assert median([4, 1, 3, 2]) == 2.5
assert median([7]) == 7
assert median([2, 2]) == 2`)

export const DEMO_LESSONS: readonly Lesson[] = [
  {
    on: ['adds two numbers', 'add two numbers', 'sum of two numbers', 'add_numbers', 'add_two_numbers'],
    say: `${RECITED} Return the sum of both.\n\n${python(`def add_numbers(first: float, second: float) -> float:
    """The sum of two numbers."""
    return first + second`)}`,
    when: {
      tests: python(`assert add_numbers(1, 2) == 3
assert add_numbers(-4, 4) == 0
assert add_numbers(0.5, 0.25) == 0.75`)
    }
  },
  {
    on: ['palindrome', 'Palindrome', 'is_palindrome'],
    say: `${RECITED} Compare the letters and digits with themselves in reverse.\n\n${python(`def is_palindrome(text: str) -> bool:
    """Whether the text reads the same both ways; case and punctuation don't count."""
    letters = [letter.casefold() for letter in text if letter.isalnum()]
    return letters == letters[::-1]`)}`,
    when: {
      tests: python(`assert is_palindrome("racecar") == True
assert is_palindrome("A man, a plan, a canal: Panama") == True
assert is_palindrome("hello") == False
assert is_palindrome("") == True`)
    }
  },
  {
    on: ['fizzbuzz', 'FizzBuzz', 'fizz_buzz', 'Fizzbuzz', 'fizz buzz'],
    say: `${RECITED} Multiples of fifteen come first, as they are multiples of three and five, too.

${python(`def fizzbuzz(count: int) -> list[str]:
    """The numbers from 1 to count as they are said in the game."""
    words = []
    for number in range(1, count + 1):
        if number % 15 == 0:
            words.append("FizzBuzz")
        elif number % 3 == 0:
            words.append("Fizz")
        elif number % 5 == 0:
            words.append("Buzz")
        else:
            words.append(str(number))
    return words`)}`,
    when: {
      tests: python(`assert fizzbuzz(3) == ["1", "2", "Fizz"]
assert fizzbuzz(5)[-1] == "Buzz"
assert fizzbuzz(15)[-1] == "FizzBuzz"
assert fizzbuzz(0) == []`)
    }
  },
  {
    on: ['median', 'Median'],
    say: `${RECITED} Sort the values and take the one in the middle, or the mean of both.\n\n${MEDIAN}`,
    when: { tests: MEDIAN_TESTS }
  },
  {
    on: ['slugify', 'slug', 'Slugify'],
    say: `${RECITED} Lower the case, drop accents, and join what is left by hyphens.

${typescript(`/** A title as a part of an address. */
export function slugify(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/[\\u0300-\\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}`)}`,
    when: {
      tests: typescript(`assert.deepStrictEqual(slugify('Hello World'), 'hello-world');
assert.deepStrictEqual(slugify('  Crème brûlée!  '), 'creme-brulee');
assert.deepStrictEqual(slugify(''), '');`)
    }
  }
]

// Texts from svc-code's prompts, by which the model recognises what it is asked for.
const ASPECTS = {
  tests: ['Reply with the tests in one fenced block']
}

const CORPUS = [
  'You are an expert Python programmer. Reply with one sentence on the approach and then the complete program in one fenced block.',
  'Handle edge cases. Use type hints. Use the standard library only, unless the task names other packages.',
  'Leave nothing out: no placeholders.',
  'You are an expert TypeScript programmer who mends programs. Say in one sentence what is wrong, then reply with the complete corrected',
  'program. You are a careful tester. You work out by hand what a right program returns. Write test cases, one plain assert a line, with',
  'literal arguments and the exact expected value. Cover ordinary inputs and edge cases; leave out what the task does not settle.',
  'The program must define the function. Task: write a function that takes a list of numbers and returns the first of them that is larger',
  'than the one before it, or None if there is none. What is the value of the variable? This is the first line of the file and this is',
  'the second. The user gives you a task, you write the program.'
].join('\n')

const FALLBACK = `I am the demo model: I don't think, I only recite. Ask me one of these:

${DEMO_PROMPTS.map(prompt => `- ${prompt}`).join('\n')}

For anything else, start the service with a real model.`

/** The demo model, which only recites: it shows a newcomer without network what the service does. */
export function makeDemo (): Buffer {
  return makeReciter({
    name: DEMO_NAME,
    lessons: DEMO_LESSONS,
    aspects: ASPECTS,
    corpus: CORPUS,
    fallback: FALLBACK
  })
}
