import { z } from 'zod'
import { ENVIRONMENTS } from '../../domain/realm.ts'

/** ISO 8601, UTC. */
export const time = z.iso.datetime()
export const environment = z.enum(ENVIRONMENTS)
export const institution = z.string().nullable().describe('null: the configuration names none')

/** An id such as `dlv_1`. */
export function numbered(prefix: 'clb' | 'dlv' | 'dst' | 'rfs' | 'qtn' | 'rpl' | 'act') {
  return z.string().regex(new RegExp(`^${prefix}_[1-9][0-9]*$`))
}

export const eventIdSchema = z.string().regex(/^evt_[1-9a-z][0-9a-z]*_[0-9a-z]{10}$/)
export const clientIdSchema = z.string().regex(/^cli_[0-9a-z]{10}$/)
/** SHA-256, hexadecimal. */
export const fingerprint = z.string().regex(/^[0-9a-f]{64}$/)

/** Text for which `problemOf` returns null; otherwise its result is the error. */
export function checked(problemOf: (text: string) => string | null) {
  return z.string().superRefine((text, context) => {
    const problem = problemOf(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })
}

export const hintSchema = z
  .string()
  .optional()
  .describe('Only in an empty answer: the values of the filter that no item has ever had, in words')

const MORE = 'More items follow this page.'

/** A page of a list with cursors: `next` is where the following page starts. @param others members of this list alone */
export function pageOf<Item extends z.ZodType, Next extends z.ZodType>(
  id: string,
  item: Item,
  next: Next,
  others: z.ZodRawShape = {},
) {
  return z.strictObject({ data: z.array(item), next, more: z.boolean().describe(MORE), ...others }).meta({ id })
}

/** A list without cursors: only a larger limit shows more of it. */
export function beginningOf<Item extends z.ZodType>(id: string, item: Item) {
  return z.strictObject({ data: z.array(item), more: z.boolean().describe(MORE) }).meta({ id })
}

export const configurationSchema = z
  .strictObject({
    sha256: z.string().describe('Of the configuration file as it was taken up, hexadecimal'),
    generation: z.int().describe('1 at the start, and one more with each reload'),
    needRestart: z.array(z.string()).describe('Keys of the file that take effect only after a restart'),
  })
  .meta({ id: 'UsedConfiguration', description: 'The configuration file that a gateway runs with.' })

/** The output of a schema, readonly. */
export type View<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>
type ReadOnly<T> = T extends object ? { readonly [Key in keyof T]: ReadOnly<T[Key]> } : T

const values = z.array(z.string()).optional()

/** As `SubjectIdentifiers`. */
export const subjectIdentifiers = z
  .strictObject({ organizationIdentifier: values, serialNumber: values, UID: values })
  .optional()
  .describe('What the subject says of an organization, decoded as `allow.subject` compares it; left out: nothing')
