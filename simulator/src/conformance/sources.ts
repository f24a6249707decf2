import { type Text, text } from './text.ts'

/** Where a rule is written. */
export interface Source {
  readonly document: string
  readonly section: string
  /** null: the document has no public address, or comes with this package. */
  readonly url: string | null
  /** The day on which the rule was compared with its document. */
  readonly read: string
}

/** Why a scenario is tried, with its source. */
export interface Rule extends Text {
  readonly source: Source
}

export function rule(source: Source, english: string, values?: Parameters<typeof text>[1]): Rule {
  return Object.assign(text(english, values), { source })
}

/** "Document, section, URL (2026-11-30)". */
export function sourceLine({ document, section, url, read }: Source): string {
  return `${[document, section, ...(url === null ? [] : [url])].join(', ')} (${read})`
}

export const DOCUMENT_1: Source = {
  document: 'Document 1',
  section: 'Authentication 4',
  url: null,
  read: '2026-11-27',
}

/** @param section a chapter of that page */
function decisions(section: string): Source {
  return { document: 'portaria-simulator, docs/service-decisions.md', section, url: null, read: '2026-11-27' }
}

export const SILENT_1 = decisions('Document 1')
export const SILENT_2 = decisions('Document 2')
export const FIELD = decisions('Callbacks in the field')

export function rfc(number: number, section: string): Source {
  return {
    document: `RFC ${number}`,
    section: `section ${section}`,
    url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
    read: '2026-11-27',
  }
}

/** The changelog of later versions, to 2.9.0, changes nothing of what is cited. */
export function pixApi(section: string): Source {
  return {
    document: 'Banco Central do Brasil, API Pix 2.8.1',
    section,
    url: 'https://github.com/bacen/pix-api/blob/ee778dc91baea3183710d4fd6ada543bdcb62779/openapi.yaml',
    read: '2026-11-30',
  }
}

export function webhookApi(section: string): Source {
  return {
    document: 'Open Finance Brasil, API Webhook 1.2.0',
    section,
    url: 'https://github.com/OpenBanking-Brasil/openapi/blob/3f04470236631bba22fdd0219998f6710cb087af/swagger-apis/webhook/1.2.0.yml',
    read: '2026-11-30',
  }
}

export function webhookGuide(section: string): Source {
  return {
    document: 'Open Finance Brasil, Pagamentos Automáticos - Webhook - v1.2.0',
    section,
    url: 'https://openfinancebrasil.atlassian.net/wiki/spaces/OF/pages/200737059',
    read: '2026-11-30',
  }
}

export const RESPONSE_TIMES: Source = {
  document: 'Open Finance Brasil, Desempenho e Disponibilidade das APIs',
  section: 'Critérios de Conformidade',
  url: 'https://openfinancebrasil.atlassian.net/wiki/spaces/OF/pages/498499656/Desempenho+e+Disponibilidade+das+APIs',
  read: '2026-11-30',
}
