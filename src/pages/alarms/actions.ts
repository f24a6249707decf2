import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction } from '../frame/page.ts'
import { html } from '../parts/html.ts'
import { typedTime } from '../parts/period.ts'
import { meantBy, PATH } from './alarms.ts'
import { failureHtml } from './failure.ts'

const TEST: FormAction = {
  path: '/alarms/test',
  isLong: true,
  async submit({ ask, form, t }) {
    const channel = form.get('channel') ?? undefined
    const answer = await ask('testAlarms', { body: { channel } })
    if (answer.status >= 400) return resultOf(answer, PATH, '')
    const { channels } = jsonOf(answer)
    const outcomes = channels.map(
      ({ name, error }) =>
        html`${error === null ? t`${{ channel: name }}: the test was sent.` : html`${t`${{ channel: name }}: the test was not sent:`} ${failureHtml(error, t)}`} `,
    )
    const isError = channels.some((one) => !one.sent)
    return { kind: 'redirect', location: PATH, message: html`${outcomes}`, isError }
  },
}

const MUTE: FormAction = {
  path: '/alarms/mute',
  async submit({ ask, form, t }) {
    const chosen = form.get('alarm') ?? ''
    if (chosen === '')
      return {
        kind: 'redirect',
        location: `${PATH}#mutes`,
        message: t`No alarm was chosen. Nothing is muted.`,
        isError: true,
      }
    const { alarms } = jsonOf(await ask('listAlarms'))
    const { code, subject } = meantBy(chosen, alarms)
    const note = form.get('note')?.trim() || undefined
    const until = typedTime(form.get('until')) ?? undefined
    const answer = await ask('muteAlarms', { body: { code, subject, until, note } })
    return resultOf(answer, `${PATH}#mutes`, t`The alarms are muted.`)
  },
}

const UNMUTE: FormAction = {
  path: '/alarms/unmute',
  async submit({ ask, form, t }) {
    const answer = await ask('unmuteAlarms', { params: { id: form.get('id') ?? '' } })
    return resultOf(answer, `${PATH}#mutes`, t`The mute is ended. What it has held back and is still open is sent.`)
  },
}

export const ALARM_ACTIONS: readonly FormAction[] = [TEST, MUTE, UNMUTE]
