import { Command, InvalidArgumentError } from 'commander'
import { messageOf, SimulatorError } from '../errors.ts'
import type { Environment } from '../interfaces.ts'
import { commandNames, languageInUse, translated } from './command-names.ts'
import { type ControlApi, createControlApi } from './control-api.ts'
import { readControlToken } from './control-token.ts'
import {
  type ControlRequest,
  jsonIn,
  type Operation,
  type OperationOption,
  operationsOf,
  requestOf,
  typesOf,
  valuesOf,
} from './operations.ts'
import { action, print, printable, printLine } from './output.ts'
import { SHOWN, textOfRecord } from './show.ts'

interface CtlOptions {
  readonly control: URL
  readonly controlTokenFile?: string
  readonly json?: boolean
}

const EXAMPLES = [
  'operations',
  'show charge 1000001',
  'send-callback --text \'{"evento":"conta_aberta"}\' --interface registration',
  'list-callbacks --interface payment --environment production --json',
  'order-fault --on callback --fault duplicate --count 3',
  'POST /clock/advance \'{"by":"36h"}\'',
]

/** Calls the control API of a running simulator. Its operations come from the simulator's own description. */
export function ctlCommand(): Command {
  return new Command('ctl')
    .description('Control a running simulator: its clock, callbacks, faults, bills, charges and more')
    .argument(
      '<operation>',
      'name of an operation ("operations" lists them), or method and path; "show" tells the state of a record',
    )
    .argument('[arguments...]', 'its path arguments, its options, or its body as JSON')
    .option('--control <url>', 'address of the control API', controlUrl, new URL('http://localhost:9445'))
    .option('--control-token-file <file>', 'file with the token of a control port that has one')
    .option('--json', 'print one JSON object')
    .passThroughOptions()
    .addHelpText(
      'after',
      `\n${translated('More examples:')}\n${EXAMPLES.map((one) => `  ${commandNames.simulator} ctl ${one}`).join('\n')}`,
    )
    .action(action(run))
}

function controlUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'http:')
    throw new InvalidArgumentError(translated('It must be an http address, as http://localhost:9445.'))
  return url
}

async function run(name: string, given: readonly string[], options: CtlOptions): Promise<void> {
  const { args, isHelp, ...own } = takeOwnOptions(given)
  const { control, controlTokenFile, json } = { ...options, ...own }
  const api = createControlApi(control, controlTokenFile === undefined ? null : readControlToken(controlTokenFile))
  const operations = operationsOf(await api.document())
  if (name === 'operations') {
    if (args.length > 0) throw new SimulatorError('request_invalid', 'operations takes no arguments')
    return listOperations(operations, json === true)
  }
  if (name === 'show') return showRecord(api, operations, { args, isHelp, isJson: json === true })
  const request = /^(GET|POST|PUT|PATCH|DELETE)$/i.test(name)
    ? plainRequest(name.toUpperCase(), args)
    : await namedRequest(operations, { name, args, isHelp })
  if (request !== null) await answer(api, request, json === true)
}

/** Options of this command may also follow the operation. */
function takeOwnOptions(given: readonly string[]): Partial<CtlOptions> & { args: string[]; isHelp: boolean } {
  const args = [...given]
  const isJson = take(args, '--json')
  const isHelp = take(args, '--help') || take(args, '-h')
  take(args, '--verbose')
  takeValue(args, '--config')
  takeValue(args, '--lang')
  const control = takeValue(args, '--control')
  const controlTokenFile = takeValue(args, '--control-token-file')
  return {
    args,
    isHelp,
    ...(isJson && { json: true }),
    ...(control !== undefined && { control: urlOf(control) }),
    ...(controlTokenFile !== undefined && { controlTokenFile }),
  }
}

function urlOf(text: string): URL {
  try {
    return controlUrl(text)
  } catch (error) {
    throw new SimulatorError('request_invalid', `--control: ${messageOf(error)}`)
  }
}

function take(args: string[], flag: string): boolean {
  const at = args.indexOf(flag)
  if (at >= 0) args.splice(at, 1)
  return at >= 0
}

function takeValue(args: string[], flag: string): string | undefined {
  const at = args.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  if (at < 0) return undefined
  const [word = '', next] = args.splice(at, args[at] === flag ? 2 : 1)
  return word === flag ? next : word.slice(flag.length + 1)
}

function plainRequest(method: string, [path, body, ...tooMany]: readonly string[]): ControlRequest {
  if (path === undefined || !path.startsWith('/') || tooMany.length > 0)
    throw new SimulatorError('request_invalid', `give a path and a body: ${method} /clock/advance '{"by":"36h"}'`)
  const whole = path.startsWith('/control/') ? path : `/control${path}`
  return { method, path: whole, body: body === undefined ? undefined : jsonIn(body) }
}

async function namedRequest(
  operations: readonly Operation[],
  { name, args, isHelp }: { name: string; args: readonly string[]; isHelp: boolean },
): Promise<ControlRequest | null> {
  const operation = operations.find((one) => one.name === name)
  if (operation === undefined)
    throw new SimulatorError(
      'request_invalid',
      `there is no operation ${name}: "${commandNames.simulator} ctl operations" lists them`,
    )
  if (!isHelp) return requestOf(operation, args.map(withEnvironment))
  await print(helpOf(operation, await descriptionsInLanguage()))
  return null
}

interface ShowCall {
  readonly args: readonly string[]
  readonly isHelp: boolean
  readonly isJson: boolean
}

/** Shows a record of the control API as lines. */
async function showRecord(
  api: ControlApi,
  operations: readonly Operation[],
  { args: [kind = '', ...args], isHelp, isJson }: ShowCall,
): Promise<void> {
  if (isHelp) return print(showHelp())
  if (!SHOWN.some((one) => one === kind))
    throw new SimulatorError(
      'request_invalid',
      `show ${SHOWN.join(', ')}, each with its id: ${commandNames.simulator} ctl show charge 1000001`,
    )
  const request = await namedRequest(operations, { name: `show-${kind}`, args, isHelp: false })
  if (request === null) return
  const record = (await api.send(request)) as object
  if (isJson) return printLine(record)
  await print(textOfRecord(`${kind} ${decodeURIComponent(request.path.replace(/^.*\/|\?.*$/g, ''))}`, record))
}

const showHelp =
  () => `${translated('Usage:')} ${commandNames.simulator} ctl show <${SHOWN.join('|')}> <id> ${translated('[options]')}

${translated('Tell the state of a record, its history, and what comes next and when')}

  account       ${translated('by its number')}
  charge        ${translated('by its charge_id')}
  subscription  ${translated('by its subscription_id')}
  bill          ${translated('by its barcode or typeable line')}
  carnet        ${translated('by its carnet_id')}

${translated('Options:')}
  --environment <string>  sandbox, production (${translated('default: ')}"sandbox")
  --json                  ${translated('print one JSON object')}
  --control <url>         ${translated('address of the control API')}
`

/** Their names in the service's documents, without accents. */
const ENVIRONMENT_NAMES: Readonly<Record<string, Environment>> = {
  production: 'production',
  producao: 'production',
  sandbox: 'sandbox',
  homologacao: 'sandbox',
}

function environmentNamed(text: string): Environment | undefined {
  return ENVIRONMENT_NAMES[text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()]
}

/** Environments are understood under the names of the service's documents too. */
function withEnvironment(word: string, index: number, words: readonly string[]): string {
  return words[index - 1] === '--environment' ? (environmentNamed(word) ?? word) : word
}

async function answer(api: ControlApi, request: ControlRequest, isJson: boolean): Promise<void> {
  const json = await api.send(request)
  if (isJson) return printLine(json ?? {})
  await print(
    json === undefined
      ? `${translated('Done.')}\n`
      : `${JSON.stringify(json, null, 2).split('\n').map(printable).join('\n')}\n`,
  )
}

async function listOperations(operations: readonly Operation[], isJson: boolean): Promise<void> {
  if (isJson) {
    const view = operations.map(({ options, hasBody: _, ...operation }) => ({
      ...operation,
      options: options.map(({ flag }) => flag),
    }))
    return printLine({ operations: view })
  }
  const width = Math.max(...operations.map((one) => one.name.length))
  for (const { name, summary } of operations) await print(`${name.padEnd(width)}  ${printable(translated(summary))}\n`)
  await print(
    `\n${translated(`${commandNames.simulator} ctl <operation> --help lists the options of an operation.`)}\n`,
  )
}

/** The playground shows the same descriptions. Empty: English. */
async function descriptionsInLanguage(): Promise<ReadonlyMap<string, string>> {
  return languageInUse() === 'pt' ? (await import('../messages/po.ts')).portuguese('document') : new Map()
}

function helpOf(operation: Operation, own: ReadonlyMap<string, string>): string {
  const { name, method, path, summary, segments, options, hasBody } = operation
  const usage = [
    `${translated('Usage:')} ${commandNames.simulator} ctl ${name}`,
    ...segments.map((one) => `<${one}>`),
    translated('[options]'),
  ]
  const rows = options.map((option) => [`${option.flag} <${kindOf(option)}>`, textOf(option, own)] as const)
  const width = Math.max(0, ...rows.map(([flag]) => flag.length))
  return [
    [...usage, ...(hasBody ? ['[json]'] : [])].join(' '),
    `\n${printable(translated(summary))}\n\n  ${method} ${path}\n`,
    ...(rows.length === 0
      ? []
      : [translated('Options:'), ...rows.map(([flag, text]) => `  ${flag.padEnd(width)}  ${text}`.trimEnd())]),
    '',
  ].join('\n')
}

function kindOf(option: OperationOption): string {
  const types = [...typesOf(option)].filter((type) => type !== 'null')
  if (types.length !== 1 || types[0] === 'object') return 'value'
  return types[0] === 'array' ? 'list' : (types[0] as string)
}

function textOf(option: OperationOption, own: ReadonlyMap<string, string>): string {
  const values = valuesOf(option)
  // The kinds of a fault describe each value of `fault`, and none describes the option.
  const described =
    option.schemas.length > 2 && values.length > 1
      ? []
      : option.schemas
          .flatMap(({ description }) => (description === undefined ? [] : [own.get(description) ?? description]))
          .slice(0, 1)
  const [standard] = option.schemas.flatMap((one) => (one.default === undefined ? [] : [JSON.stringify(one.default)]))
  return [
    ...(values.length > 1 ? [values.join(', ')] : []),
    ...described,
    ...(standard === undefined ? [] : [`(${translated('default: ')}${standard})`]),
    ...(option.isRequired ? [translated('(required)')] : []),
  ].join(' ')
}
