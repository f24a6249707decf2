import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Judged {
  readonly method: string
  /** Within the interface, with its query. */
  readonly path: string
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, unknown>>
    readonly text: string
    readonly json: unknown
  }
}

type Media = Record<string, { schema?: object }>
type Parameters = readonly { name: string; in: string; schema: { pattern?: string } }[]
type Operations = Record<string, { parameters?: Parameters; responses: Record<string, { content?: Media }> }>

/** Of requests that reach no operation: 400, 413 and 415 are answered before the path is looked at. */
const WITHOUT_OPERATION = [400, 404, 405, 413, 415]

/** Judges answers by an interface's OpenAPI document, with a validator that is not ours. @returns a function that throws where they differ */
export function createJudge(): (document: object, judged: Judged) => void {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  // The default export of a CommonJS module, which TypeScript and Node see differently.
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)

  return function judge(document, { method, path, answer }) {
    const { paths } = document as { paths: Record<string, Operations> }
    const operation = findOperation(
      paths,
      path.split('?')[0] as string,
      method === 'HEAD' ? 'get' : method.toLowerCase(),
    )
    if (operation === undefined) {
      if (!WITHOUT_OPERATION.includes(answer.status)) throw new Error(`${method} ${path} is not documented`)
      return
    }
    const response = operation.responses[answer.status]
    const where = `${method} ${path} answered ${answer.status} ${answer.text.slice(0, 300)}`
    if (response === undefined) throw new Error(`${where}: this status is not documented`)
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] as string
    if (answer.text === '') return
    const media = response.content?.[type]
    if (media === undefined) throw new Error(`${where}: ${type} is not documented`)
    if (media.schema === undefined || !type.endsWith('json')) return
    if (!ajv.validate(media.schema, answer.json)) throw new Error(`${where}: ${ajv.errorsText()}`)
  }
}

/** Of segments that take digits only: another value makes another path. */
const DIGITS = '^[0-9]+$'

/** Paths without segments first, as `/v1/resumo` before `/v1/{idPagamento}`. */
/** Of paths with the same words, one without a parameter comes first, and the method may be that of another: a statement may have any id. */
function findOperation(paths: Record<string, Operations>, path: string, method: string) {
  return Object.keys(paths)
    .filter((template) => expressionOf(template, paths[template] ?? {}).test(path))
    .sort((one, two) => one.split('{').length - two.split('{').length)
    .map((template) => paths[template]?.[method])
    .find((operation) => operation !== undefined)
}

function expressionOf(template: string, operations: Operations): RegExp {
  const parameters = Object.values(operations).flatMap(({ parameters = [] }) => parameters)
  const segments = template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_, name) => {
    const pattern = parameters.find((one) => one.in === 'path' && one.name === name)?.schema.pattern
    return pattern === DIGITS ? '[0-9]+' : '[^/]+'
  })
  return new RegExp(`^${segments}/?$`)
}
