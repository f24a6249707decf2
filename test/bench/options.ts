import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** The options of a command line, with `--help`. Ends the process with their list, or with what is wrong with them. */
export function readOptions<O extends Options>(options: O) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } })
    if ((values as { help?: boolean }).help !== true) return parseArgs({ options }).values
    process.stdout.write(`options: ${listOf(options)}\nCONTRIBUTING.md says what each does\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\noptions: ${listOf(options)}\n`)
    process.exit(2)
  }
}

function listOf(options: Options): string {
  return Object.entries(options)
    .map(([name, { type, default: usual }]) => {
      const value = type === 'boolean' ? '' : ' VALUE'
      return `--${name}${value}${typeof usual === 'string' ? ` (default ${usual})` : ''}`
    })
    .join(', ')
}
