import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningSimulator, runSimulator } from '../../simulator/test/running.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { type Ended, linesOf, portaria } from '../cli/program.ts'

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator()
})
afterAll(() => running.stop())

const address = () => `http://localhost:${running.simulator.controlPort}`
const ctl = (...args: string[]): Promise<Ended> => portaria(null, 'simulator', 'ctl', '--control', address(), ...args)

it('an operation is called by its name and options, by method and path, and with a body as JSON', async () => {
  const set = await ctl('set-clock', '--now', '2030-01-01T00:00:00Z', '--frozen', '--json')
  expect([set.code, set.stderr, linesOf(set)]).toEqual([0, '', [{ now: '2030-01-01T00:00:00.000Z', frozen: true }]])
  const named = await ctl('advance-clock', '--by=36h')
  expect(JSON.parse(named.stdout)).toEqual({ now: '2030-01-02T12:00:00.000Z', frozen: true })
  expect(named.stdout).toContain('\n  "now"')
  const plain = await ctl('POST', '/clock/advance', '{"by":"1h"}', '--json')
  expect(linesOf(plain)).toEqual([{ now: '2030-01-02T13:00:00.000Z', frozen: true }])
  const body = await ctl('set-clock', '{"now":"2031-01-01T00:00:00Z"}', '--frozen', 'false', '--json')
  expect(linesOf(body)).toEqual([{ now: expect.stringMatching(/^2031-01-01T00:00:/), frozen: false }])
})

it('path arguments, environments under both names, and values of every type reach the API', async () => {
  const fault = ['--on', 'callback', '--fault', 'same_id_other_content', '--change', '{"a":1}', '--probability', '0.5']
  const ordered = await ctl('order-fault', ...fault, '--count', 'null', '--environment', 'producao', '--json')
  expect(linesOf(ordered)).toMatchObject([{ id: 1, fault: { change: { a: 1 }, probability: 0.5, count: null } }])
  const [inSandbox, inProduction] = [
    await ctl('list-faults', '--json'),
    await ctl('GET', '/faults?environment=production'),
  ]
  expect(linesOf(inSandbox)).toEqual([{ faults: [] }])
  expect(JSON.parse(inProduction.stdout).faults).toHaveLength(1)
  const deleted = await ctl('delete-fault', '1', '--environment', 'production')
  expect([deleted.code, deleted.stdout]).toEqual([0, 'Done.\n'])
})

it('operations, their options and their descriptions are in the language of the command line', async () => {
  const linesIn = async (language: string) => (await ctl('operations', '--lang', language)).stdout.trim().split('\n')
  const [english, portuguese] = [await linesIn('en'), await linesIn('pt')]
  expect(portuguese).toHaveLength(english.length)
  expect(portuguese.filter((line) => line !== '' && english.includes(line))).toEqual([])
  const { stdout } = await ctl('create-bill', '--help', '--lang', 'pt')
  expect(stdout).toMatch(/ \[opções\] \[json\]\n\nCria um boleto, /)
  expect(stdout).toMatch(/\n {2}--amount <integer> +Em centavos; 0: qualquer valor/)
  expect(stdout).toMatch(/\(obrigatório\)/)
})

it('every operation of the control API has a name, and its help lists its options', async () => {
  const operations = await ctl('operations', '--json')
  const document = (await running.control('GET', '/openapi.json')).json
  const ids = Object.values(document.paths as Record<string, object>).flatMap((methods) =>
    Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  )
  const [listed] = linesOf<{ operations: { name: string; options: string[] }[] }>(operations)
  const names = listed?.operations.map(({ name }) => name) ?? []
  expect(names).toEqual(ids.map((id) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)))
  expect(new Set(names).size).toBe(names.length)
  // Options of the command itself would hide them.
  const hidden = ['--json', '--control', '--help', '--config', '--verbose']
  for (const { name, options } of listed?.operations ?? [])
    expect(
      options.filter((option) => hidden.includes(option)),
      name,
    ).toEqual([])
  const [text, help] = await Promise.all([ctl('operations'), ctl('order-fault', '--help')])
  expect(text.stdout).toMatch(/^advance-clock {2,}Move the simulated time forward/m)
  expect(help.stdout).toMatch(/POST \/control\/faults[\s\S]+--fault <string> +timeout, .*\(required\)\n/)
})

it('show tells the state of a record, its history, and what comes next and when', async () => {
  const body = { items: [{ name: 'Book', value: 15_010 }] }
  const created = await running.ask('charges', { method: 'POST', path: '/v1/charge', body }, 'production')
  const id: number = created.json.data.charge_id
  const text = await ctl('show', 'charge', String(id), '--environment', 'producao')
  expect([text.code, text.stderr]).toEqual([0, ''])
  expect(text.stdout).toMatch(new RegExp(`^charge ${id} \\(new\\), .* America/Sao_Paulo; amounts in cents\n`))
  expect(text.stdout).toMatch(/^ {2}status +new$[\s\S]+^history$[\s\S]+ charge \d+ is new$[\s\S]+^next$/m)
  const json = await ctl('show', 'charge', String(id), '--environment=production', '--json')
  expect(linesOf(json)).toMatchObject([{ charge_id: id, status: 'new', total: 15_010, history: expect.any(Array) }])
  const account = running.simulator.sites.sandbox.applications.list()[0]?.account ?? ''
  const [owner, help] = await Promise.all([ctl('show', 'account', account), ctl('show', '--help')])
  expect([owner.code, owner.stdout]).toEqual([0, expect.stringMatching(/^ {2}owner +name .+, document \d{14}$/m)])
  expect([help.code, help.stdout]).toEqual([
    0,
    expect.stringMatching(/^Usage: .* show <account\|charge\|subscription\|bill\|carnet> <id>/),
  ])
  const wrong = await Promise.all([
    ctl('show', 'payment', '1'),
    ctl('show', 'charge'),
    ctl('show', 'bill', '123'),
    ctl('show', 'subscription', '7'),
  ])
  expect(wrong.map(({ code, stderr }) => [code, stderr])).toEqual([
    [2, expect.stringContaining(`show account, charge, subscription, bill, carnet, each with its id: ${COMMAND}`)],
    [2, expect.stringContaining('show-charge: it needs <id>')],
    [2, expect.stringContaining('123 is no barcode and no typeable line: it has 3 digits')],
    [1, expect.stringContaining('no subscription of sandbox has this id')],
  ])
})

it('wrong usage ends with 2, a refusal with 1, and both say what to do', async () => {
  const wrong = await Promise.all([
    ctl('nope'),
    ctl('advance-clock'),
    ctl('advance-clock', '--by', 'soon'),
    ctl('advance-clock', '--to', '36h'),
    ctl('advance-clock', '36h'),
    ctl('delete-fault'),
    ctl('show-clock', '{}'),
    ctl('operations', 'again'),
    ctl('POST', 'clock'),
    ctl('show-clock', '--control', 'https://localhost:1'),
  ])
  expect(wrong.map(({ code, stdout }) => [code, stdout])).toEqual(Array(wrong.length).fill([2, '']))
  expect(wrong.map(({ stderr }) => stderr)).toEqual([
    `portaria: there is no operation nope: "${COMMAND} simulator ctl operations" lists them\n`,
    `portaria: advance-clock: it needs --by; its help: ${COMMAND} simulator ctl advance-clock --help\n`,
    'portaria: the simulator refused it: /by: a number with s, m, h or d, as 36h\n',
    `portaria: advance-clock: it has no option --to; its help: ${COMMAND} simulator ctl advance-clock --help\n`,
    expect.stringContaining('the body must be a JSON object'),
    `portaria: delete-fault: it needs <id>; its help: ${COMMAND} simulator ctl delete-fault --help\n`,
    `portaria: show-clock: too many arguments; its help: ${COMMAND} simulator ctl show-clock --help\n`,
    'portaria: operations takes no arguments\n',
    expect.stringContaining('give a path and a body: POST /clock/advance'),
    expect.stringContaining('It must be an http address'),
  ])
  const [refused, absent] = await Promise.all([
    ctl('delete-fault', '99'),
    portaria(null, 'simulator', 'ctl', 'show-clock', '--control', 'http://localhost:1'),
  ])
  expect([refused.code, refused.stderr]).toEqual([1, 'portaria: the simulator refused it: no fault has the id 99\n'])
  expect([absent.code, absent.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^portaria: no simulator answers at http:\/\/localhost:1 \(.*\): start one with ".*portaria simulator", or/,
    ),
  ])
})
