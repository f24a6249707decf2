import type { Catalogue } from '../../messages/catalogue.ts'
import { languageInUse } from './language.ts'

export type SupportWords = Pick<Catalogue, 'support'>

/** The sentences of the pages, in the language of the command line. */
export async function supportWords(): Promise<SupportWords> {
  const { SUPPORT } =
    languageInUse() === 'pt'
      ? await import('../../messages/pt/support.ts')
      : await import('../../messages/en/support.ts')
  return { support: SUPPORT }
}
