import { z } from 'zod'
import { DELIVERY_ORDERS, DESTINATION_LIMIT, ON_EXHAUSTED } from '../domain/destination.ts'
import { ENVIRONMENTS } from '../domain/event.ts'
import { isExtraHeaderAllowed } from '../domain/extra-headers.ts'
import { field, integer, oneOf, schedule, text, timeout } from './fields.ts'
import { type FileFields, secret } from './secret-files.ts'
import { checkHeaderNames, checkOneSecret, reportOn } from './section-checks.ts'

/** Whether the URLs are allowed and the kinds exist is checked together with the rest of the file. */
export function destinationsSchema(files: FileFields) {
  return z
    .array(destinationSchema(files))
    .max(
      DESTINATION_LIMIT,
      `must be at most ${DESTINATION_LIMIT}: make the others with \`portaria destinations create\``,
    )
}

function destinationSchema(files: FileFields) {
  return z
    .strictObject({
      name: destinationName,
      url: text('the address of the destination, such as https://app.example/callbacks'),
      kinds: z.array(text('the name of a kind')).min(1, 'is empty: remove the key for every kind').optional(),
      environments: z.array(oneOf(ENVIRONMENTS)).min(1, 'is empty: remove the key for every environment').optional(),
      secret: secret.optional(),
      secretFile: files.secrets.optional(),
      timeout: timeout().optional(),
      concurrency: integer(1, 1000).optional(),
      rate: integer(1, 100_000).optional(),
      schedule: schedule().optional(),
      order: oneOf(DELIVERY_ORDERS).prefault('none'),
      onExhausted: oneOf(ON_EXHAUSTED).prefault('hold'),
      ca: files.authorities.optional(),
      headers: z
        .record(headerName, headerValue)
        .prefault({})
        .superRefine(...reportOn(checkHeaderNames)),
    })
    .superRefine(...reportOn(checkOneSecret))
}

const destinationName = text('a name such as app', (name) =>
  /^[a-z0-9][a-z0-9-]{0,62}$/i.test(name)
    ? null
    : 'must be a name of up to 63 letters, digits and hyphens that starts with a letter or a digit',
)

const headerName = z.string().superRefine((name, context) => {
  const problem = problemOfHeaderName(name)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})

/** RFC 9110 section 5.1: a field name is a token. */
function problemOfHeaderName(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return 'is not the name of an HTTP header: use letters, digits and hyphens'
  return isExtraHeaderAllowed(name) ? null : 'is set by the gateway itself: remove it'
}

/** RFC 9110 section 5.5, without what is not ASCII. */
const headerValue = field<string>("the header's value", (value) => {
  if (typeof value !== 'string') return { problem: 'must be text: put it in quotes' }
  return /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value)
    ? { value }
    : { problem: 'must be ASCII text without line breaks, and without spaces at its ends' }
})
