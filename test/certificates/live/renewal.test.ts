import { expect, it, onTestFinished } from 'vitest'
import { createRenewals } from '../../../src/certificates/live/renewal.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

/** One thing that is renewed; a text with "bad" cannot be used, one with "refused" not taken up. */
function renewing(times = { healingMs: 20, retryMs: 20 }) {
  const lines: LogLine[] = []
  const file = { text: 'first', reads: 0 }
  const applied: string[] = []
  const renewals = createRenewals(recordingLog(lines), times)
  onTestFinished(() => renewals.close())
  renewals.add(
    {
      name: 'the certificate',
      load() {
        file.reads++
        if (file.text.startsWith('bad')) throw new PortariaError('certificate_invalid', file.text)
        return { value: file.text, warnings: file.text.startsWith('old') ? ['out of date'] : [] }
      },
      identityOf: (text) => text,
      apply(text) {
        if (text.startsWith('refused')) throw new Error('TLS refuses it')
        applied.push(text)
      },
    },
    'first',
  )
  const told = () => lines.map(({ event, problem, warning }) => [event, problem ?? warning].filter(Boolean).join(': '))
  return { renewals, file, applied, told }
}

it('takes up what is new, and nothing for nothing', () => {
  const { renewals, file, applied, told } = renewing()
  expect(renewals.renew()).toEqual({ renewed: [], problems: [] })
  file.text = 'old second'
  expect(renewals.renew()).toEqual({ renewed: ['the certificate'], problems: [] })
  expect(renewals.renew()).toEqual({ renewed: [], problems: [] })
  expect(applied).toEqual(['old second'])
  expect(told()).toEqual(['certificate.warning: out of date', 'certificate.renewed'])
})

it('who asks gets it each time; what could not be applied is tried again', () => {
  const { renewals, file, applied, told } = renewing()
  file.text = 'refused'
  const problems = [{ what: 'the certificate', problem: 'TLS refuses it', file: null, use: 'earlier' }]
  expect([renewals.renew(), renewals.renew()]).toEqual([
    { renewed: [], problems },
    { renewed: [], problems },
  ])
  expect(told()).toEqual(Array(2).fill('certificate.not_renewed: TLS refuses it'))
  expect(applied).toEqual([])
})

it('what heals in time is not told of', () => {
  const { renewals, file, applied, told } = renewing({ healingMs: 60_000, retryMs: 60_000 })
  file.text = 'bad: half written'
  renewals.renewSoon()
  file.text = 'second'
  renewals.renewSoon()
  expect(told()).toEqual(['certificate.renewed'])
  expect(applied).toEqual(['second'])
})

it('what stays bad is reported once, however often it is looked at, and again when it is another problem or came back', async () => {
  const { renewals, file, told } = renewing()
  const untilRead = async () => {
    const { reads } = file
    await until(() => file.reads > reads + 2)
  }
  file.text = 'bad one'
  renewals.renewSoon()
  await untilRead()
  expect(told()).toEqual(['certificate.not_renewed: bad one'])
  file.text = 'bad two'
  await untilRead()
  file.text = 'first'
  await until(() => {
    const { reads } = file
    renewals.renewSoon()
    return file.reads > reads
  })
  file.text = 'bad two'
  renewals.renewSoon()
  await untilRead()
  expect(told()).toEqual([
    'certificate.not_renewed: bad one',
    'certificate.not_renewed: bad two',
    'certificate.recovered',
    'certificate.not_renewed: bad two',
  ])
})

it('a file that is written again and again cannot put off the complaint', async () => {
  const { renewals, file, told } = renewing({ healingMs: 100, retryMs: 60_000 })
  file.text = 'bad'
  await until(() => {
    renewals.renewSoon()
    return told().length > 0
  })
  expect(told()).toEqual(['certificate.not_renewed: bad'])
})

it('what becomes usable by itself is taken up without a change of its file', async () => {
  const { renewals, file, applied } = renewing({ healingMs: 10, retryMs: 10 })
  file.text = 'bad: not valid yet'
  renewals.renew()
  file.text = 'second'
  await until(() => applied.length === 1)
})
