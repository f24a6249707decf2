import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { COMMAND, defaultConfigFile } from '../../platform/installation.ts'
import { nameOfDatabase } from '../../platform/postgres/postgres-address.ts'
import { VERSION } from '../../platform/version.ts'

/** For standard output, once a gateway for development has started: its addresses and the next commands. */
export function bannerOf(config: Config, { addresses, made }: Pick<Gateway, 'addresses' | 'made'>): string {
  const here = (path: string) => relative(process.cwd(), path) || '.'
  const { database } = config.storage
  const certs = here(dirname(config.callbacks.certificate))
  return `
Portaria ${VERSION} is ready, for development.${made.length > 0 ? ` Created ${made.length} files in ${certs}` : ''}

  callbacks  https://localhost:${addresses.callbacks.port}  mutual TLS: ${config.callbacks.kinds.map((kind) => kind.path).join('  ')}
${chargesLine(addresses)}  api        ${schemeOf(config)}://${addresses.api.host}:${addresses.api.port}
${pagesLine(config, addresses, here)}  database   ${'file' in database ? here(database.file) : nameOfDatabase(database)}

${whatToTry(config, addresses, here)}Ctrl-C stops it; nothing that was acknowledged is lost.

`
}

/** The operator token is a secret, so the line names its file. */
function pagesLine(config: Config, addresses: Gateway['addresses'], here: (path: string) => string): string {
  const { api } = config
  if (api.pages === null) return ''
  const how =
    api.operatorTokenFile === null
      ? `sign in with a client: ${COMMAND} clients create`
      : `sign in with an empty id and the secret in ${here(api.operatorTokenFile)}`
  return `  pages      ${schemeOf(config)}://localhost:${addresses.api.port}/ui/  ${how}\n`
}

function schemeOf({ api }: Config): string {
  return api.tls === null ? 'http' : 'https'
}

/** The token is a secret, so the line does not contain it. */
function chargesLine({ charges }: Gateway['addresses']): string {
  return charges === null
    ? ''
    : `  charges    https://localhost:${charges.port}  without a client certificate: /charges/<token>\n`
}

/** Calls with the test CA's client certificate; empty if its files do not exist. */
function whatToTry(config: Config, addresses: Gateway['addresses'], here: (path: string) => string): string {
  const certs = dirname(config.callbacks.certificate)
  const [authority, cert, key] = ['server-ca.crt', 'service/sandbox-client.crt', 'service/sandbox-client.key'].map(
    (file) => join(certs, file),
  ) as [string, string, string]
  if (![authority, cert, key].every((file) => existsSync(file))) return ''
  const url = `https://localhost:${addresses.callbacks.port}${config.callbacks.kinds[0]?.path ?? '/'}`
  const caller = `--cert ${here(cert)} --key ${here(key)}`
  return `In another terminal, start a simulated service (docs/tour.md has the tour), or call as the service does:

  ${COMMAND} simulator --receiver-ca ${here(authority)}
${nameOf(config.file, here)}  curl --cacert ${here(authority)} ${caller} -d '{"identificador":"1"}' ${url}
  ${COMMAND} events list
  ${COMMAND} probe ${url} --ca ${here(authority)} ${caller}
  ${COMMAND} destinations create http://127.0.0.1:9000/hook

`
}

/** Commands find the default file without it. */
function nameOf(file: string, here: (path: string) => string): string {
  return file === defaultConfigFile() ? '' : `  export PORTARIA_CONFIG=${here(file)}\n`
}
