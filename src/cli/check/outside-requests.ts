import { request } from 'node:https'
import { systemWords } from '../../platform/errors.ts'
import type { ProbeOptions } from '../../probe/two-request-probe.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, problem } = reportOn('outside')

export interface CallingOptions
  extends Pick<ProbeOptions, 'url' | 'authorities' | 'body' | 'timeoutMs' | 'reservePort'> {
  readonly client: { readonly certificate: string; readonly privateKey: string }
}

interface Answer {
  /** HTTP status, or the error. */
  readonly result: string
  readonly date: string | undefined
}

/** The service may append a suffix to the registered URL, to its query where it has one: each must get the response of the bare path. `date` is from the bare path. */
export async function makeSuffixRequests(
  options: CallingOptions,
  suffixes: readonly string[],
): Promise<{ findings: Finding[]; date: string | undefined }> {
  const bare = await post(options, options.url)
  const findings: Finding[] = []
  for (const suffix of suffixes) {
    const url = new URL(`${options.url.href.replace(/\/$/, '')}${suffix}`)
    const { result } = await post(options, url)
    findings.push(suffixFinding(suffix, result, bare.result))
  }
  return { findings, date: bare.date }
}

function suffixFinding(suffix: string, result: string, bare: string): Finding {
  const what = `suffix ${suffix}`
  if (result === bare) return good(what, `${result}, as without it`)
  const nextStep = 'let the proxy in front pass on every path below the registered one'
  return problem('outside.suffix', what, `${result}, but ${bare} without it`, nextStep)
}

async function post({ client, authorities, body, timeoutMs, reservePort }: CallingOptions, url: URL): Promise<Answer> {
  const localPort = await reservePort?.()
  return new Promise((resolve) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      localPort,
      cert: client.certificate,
      key: client.privateKey,
      ...(authorities !== null && { ca: [...authorities] }),
      headers: { 'content-type': 'application/json', 'content-length': body.length, 'user-agent': 'Portaria-check' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    outgoing.on('response', ({ statusCode, headers: { date } }) => {
      resolve({ result: `answered ${statusCode}`, date })
      outgoing.destroy()
    })
    outgoing.on('error', (error) => resolve({ result: `no answer (${systemWords(error)})`, date: undefined }))
    outgoing.end(body)
  })
}
