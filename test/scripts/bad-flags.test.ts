import { join } from 'node:path'
import t from 'tap'
import { commandOf } from '../../scripts/svc/command.js'
import { AGENTS, commandLine } from '../support/cli.js'

type Case = [flag: string, value: string, message: RegExp]

/** Mistakes that the arguments alone show. */
const TYPED: Case[] = [
  ['port', 'abc', /--port must be a whole number from 0 to 65535/],
  ['port', '65536', /--port must be a whole number/],
  ['port', '-1', /--port must be a whole number/],
  ['port', '80.5', /--port must be a whole number/],
  ['port', '', /--port/],
  ['host', '', /--host needs a value/],
  ['backend-url', '', /--backend-url needs a value/],
  ['backend-model', '', /--backend-model needs a value/],
  ['backend-key', '', /--backend-key needs a value/],
  ['backend-search', '127.0.0.1:1234', /--backend-search takes addresses such as http/],
  ['backend-search', 'none,http://127.0.0.1:1', /--backend-search takes addresses such as http/],
  ['first-token-timeout', '0', /--first-token-timeout must be a number of seconds/],
  ['next-token-timeout', 'soon', /--next-token-timeout must be a number of seconds/],
  ['api-key', '', /--api-key needs a value/],
  ['tls-cert', '', /--tls-cert needs a value/],
  ['tls-key', '', /--tls-key needs a value/],
  ['alias', 'gpt-4o', /--alias takes NAME=AGENT/],
  ['alias', '=svc-code', /--alias takes NAME=AGENT/],
  ['alias', 'gpt-4o=', /--alias takes NAME=AGENT/],
  ['max-runs', '0', /--max-runs must be a whole number from 1/],
  ['max-runs', 'many', /--max-runs must be a whole number from 1/],
  ['max-queue', '-1', /--max-queue must be a whole number from 0/],
  ['max-queue', '1.5', /--max-queue must be a whole number from 0/],
  ['run-timeout', 'soon', /--run-timeout must be a number of seconds/],
  ['run-timeout', '-1', /--run-timeout must be a number of seconds/],
  ['run-timeout', '99999999', /--run-timeout must be a number of seconds/],
  ['run-timeout', '0', /--run-timeout/],
  ['drain', '1m', /--drain must be a number of seconds/],
  ['drain', '', /--drain must be a number of seconds/],
  ['json-keepalive', 'x', /--json-keepalive must be a number of seconds/],
  ['body-limit', '0', /--body-limit must be a number of bytes/],
  ['body-limit', '1TB', /--body-limit must be a number of bytes/],
  ['body-limit', 'big', /--body-limit must be a number of bytes/],
  ['cors-origin', 'one.test', /--cors-origin .*http/]
]

/** Mistakes that appear when the service is built. */
const BUILT: Case[] = [
  ['backend-url', 'nonsense', /--backend-url nonsense is no address such as http/],
  ['backend-url', 'ftp://127.0.0.1/', /--backend-url .* is no address such as http/],
  ['backend-url', '127.0.0.1:1234', /--backend-url .* is no address such as http/],
  ['agents-dir', '/not/there', /--agents-dir .*\/not\/there.*([Cc]reate|[Cc]orrect)/],
  ['agents-dir', join(AGENTS, '..', 'tls', 'cert.pem'), /--agents-dir .* is a file/],
  ['alias', 'gpt-4o=nobody', /--alias gpt-4o=nobody: there is no agent 'nobody'.*svc-code/],
  ['alias', 'svc-code=svc-code', /--alias .*'svc-code' is an agent itself/]
]

void t.test('a bad value is named with the flag and what would do', async t => {
  for (const [flag, value, message] of TYPED) await t.rejects(commandOf(['start', `--${flag}=${value}`]), { message }, `--${flag}=${value}`)
})

void t.test('the command ends with 1 and what is wrong, without a stack, and nothing listens', async t => {
  const cli = commandLine(t)
  const ended = await cli.run(['start', '--port', 'abc'])
  t.match(ended, { code: 1, out: '', err: /^--port must be a whole number/ })
  t.notMatch(ended.err, /^ +at /m, 'no stack')
  for (const [flag, value, message] of BUILT) {
    const { code, err } = await cli.here(['start', '--port', '0', `--${flag}=${value}`])
    t.equal(code, 1)
    t.match(err, message)
    t.notMatch(err, /^ +at /m, 'no stack')
  }
})

void t.test('a bad value in the environment is told with the variable, one on the command line with the flag', async t => {
  const cli = commandLine(t)
  const cases: Array<[string[], Record<string, string>, RegExp]> = [
    [['--drain', '0'], { SVC_PORT: 'abc' }, /^SVC_PORT must be a whole number.*"abc"/],
    [['--port', 'abc'], { SVC_PORT: 'abd' }, /^--port must be a whole number.*"abc"/],
    [['--port', '0'], { SVC_BACKEND_URL: 'nonsense' }, /SVC_BACKEND_URL nonsense is no address/],
    [['--port', '0'], { SVC_AGENTS_DIR: '/not/there' }, /SVC_AGENTS_DIR \/not\/there is not there/],
    [['--port', '0', '--agents-dir=/nor/there'], { SVC_AGENTS_DIR: '/not/there' }, /--agents-dir \/nor\/there is not there/]
  ]
  for (const [args, env, message] of cases) {
    const { code, err } = await cli.here(['start', ...args], { env })
    t.equal(code, 1)
    t.match(err, message)
    t.equal(err.match(/SVC_|--(?!help)[a-z]/g)?.length, 1, 'one name for it')
  }
})

void t.test('what is not known is told as it was typed, once, with what may have been meant', async t => {
  const cases: Array<[string[], RegExp]> = [
    [['start', '--prot', '1'], /^There is no flag --prot\. Did you mean --port\?\n/],
    [['start', '--backend-ulr', 'x'], /^There is no flag --backend-ulr\. Did you mean --backend-url\?\n/],
    [['start', '--backendUlr=x'], /^There is no flag --backendUlr\. Did you mean --backend-url\?\n/],
    [['start', '--xyzzy'], /^There is no flag --xyzzy\.\n/],
    [['stop', '--prt=2'], /^There is no flag --prt\. Did you mean --port\?\n/],
    [['start', '--port'], /^--port needs a value\.\n/],
    [['start', 'extra'], /^"extra" has no meaning here/],
    [['strat'], /^There is no command strat\. Did you mean start\? Commands: start, status, stop, mcp, verify, model, new-agent\.\n/],
    [['bogus'], /^There is no command bogus\. Commands: start, status, stop, mcp, verify, model, new-agent\.\n/],
    [['model', 'pul', 'x'], /^There is no command pul\. Did you mean pull\? Commands: list, pull, rm, which\.\n/],
    [['verify'], /^verify needs the folder: npm run verify -- DIR\n/]
  ]
  for (const [args, message] of cases) await t.rejects(commandOf(args), { message }, args.join(' '))
  t.match(await commandLine(t).run(['strat']), { code: 1, out: '', err: /^There is no command strat/ })
})

void t.test('a value that may be given once, given twice, is refused', async t => {
  const twice: Array<[string[], RegExp]> = [
    [['--port', '0', '--port', '0'], /--port .*twice/],
    [['--host', '127.0.0.1', '--host', 'localhost'], /--host is given twice/],
    [['--api-key', 'a', '--api-key', 'b'], /--api-key is given twice/]
  ]
  for (const [args, message] of twice) await t.rejects(commandOf(['start', ...args]), { message })
})

void t.test('a flag that wants a value, and has none, is refused', async t => {
  const flags = [
    'host', 'port', 'backend-url', 'api-key', 'agents-dir', 'alias', 'cors-origin', 'max-runs', 'max-queue', 'run-timeout', 'drain',
    'json-keepalive', 'body-limit'
  ]
  for (const flag of flags) await t.rejects(commandOf(['start', `--${flag}`]), { message: new RegExp(`\\b${flag}\\b`) }, flag)
})
