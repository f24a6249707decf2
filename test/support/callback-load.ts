import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

/**
 * A caller's process: callbacks to localhost on port 443, each on a new connection, four at a time, until standard input ends.
 * Arguments: the files of the authority, of the caller's certificate and of its key. Prints what came back, as `LoadReport`.
 */
export interface LoadReport {
  /** Subjects of the callbacks that were answered with 200. */
  readonly acknowledged: string[]
  /** Codes of errors and other statuses, with their number. */
  readonly failures: Record<string, number>
}

const LANES = 4
const [ca = '', cert = '', key = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'))
const report: LoadReport = { acknowledged: [], failures: {} }
let isOver = false
let last = 0

function callBack(subject: string): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    const agent = new Agent({ ca, cert, key, keepAlive: false })
    const call = request('https://localhost/callbacks/payment', { method: 'POST', agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    call.end(JSON.stringify({ identificador: subject, status: { atual: 'LIQUIDADO' }, valor: 1.5 }))
  })
}

async function callInLane(): Promise<void> {
  while (!isOver) {
    const subject = `subject-${process.pid}-${++last}`
    const outcome = await callBack(subject)
    if (outcome === 200) report.acknowledged.push(subject)
    else report.failures[String(outcome)] = (report.failures[String(outcome)] ?? 0) + 1
    // The test waits for it.
    if (report.acknowledged.length === 1) process.stderr.write('running\n')
  }
}

process.stdin.resume().on('end', () => {
  isOver = true
})
await Promise.all(Array.from({ length: LANES }, callInLane))
process.stdout.write(`${JSON.stringify(report)}\n`)
