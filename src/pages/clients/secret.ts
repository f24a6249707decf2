import type { issuedSchema } from '../../api/clients/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { FormRequest, PageView } from '../frame/page.ts'
import { secretView } from '../parts/secret-view.ts'
import { LIST } from './client.ts'
import { warningsOf } from './detail.ts'

/** The secret is in the answer to the form alone: no address, no message and no log has it. */
export function clientSecret(
  request: FormRequest,
  { clientId, clientSecret: secret, scopes }: View<typeof issuedSchema>,
  text: string,
): PageView {
  const { t } = request
  return secretView(t`Id and secret`, {
    text,
    values: [
      { id: 'client-id', label: t`Client id`, value: clientId },
      { id: 'secret', label: t`Secret`, value: secret },
    ],
    more: warningsOf(scopes, request) ?? false,
    back: [`${LIST}/${clientId}`, t`To the client`],
  })
}
