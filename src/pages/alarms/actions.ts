import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction } from '../frame/page.ts'
import { html } from '../parts/html.ts'
import { typedTime } from '../parts/period.ts'
import { meantBy, PATH } from './alarms.ts'
import { failureHtml } from './failure.ts'

const TEST: FormAction = {
  path: '/alarms/test',
  isLong: true,
  async submit({ ask, form, words }) {
    const channel = form.get('channel') ?? undefined
    const answer = await ask('testAlarms', { body: { channel } })
    if (answer.status >= 400) return resultOf(answer, PATH, '')
    const { channels } = jsonOf(answer)
    const { sent, notSent } = words.alarmPage
    const outcomes = channels.map(
      ({ name, error }) => html`${error === null ? sent(name) : html`${notSent(name)} ${failureHtml(error, words)}`} `,
    )
    const isError = channels.some((one) => !one.sent)
    return { kind: 'redirect', location: PATH, message: html`${outcomes}`, isError }
  },
}

const MUTE: FormAction = {
  path: '/alarms/mute',
  async submit({ ask, form, words }) {
    const chosen = form.get('alarm') ?? ''
    if (chosen === '')
      return { kind: 'redirect', location: `${PATH}#mutes`, message: words.alarmPage.notChosen, isError: true }
    const { alarms } = jsonOf(await ask('listAlarms'))
    const { code, subject } = meantBy(chosen, alarms)
    const note = form.get('note')?.trim() || undefined
    const until = typedTime(form.get('until')) ?? undefined
    const answer = await ask('muteAlarms', { body: { code, subject, until, note } })
    return resultOf(answer, `${PATH}#mutes`, words.alarmPage.mutedNow)
  },
}

const UNMUTE: FormAction = {
  path: '/alarms/unmute',
  async submit({ ask, form, words }) {
    const answer = await ask('unmuteAlarms', { params: { id: form.get('id') ?? '' } })
    return resultOf(answer, `${PATH}#mutes`, words.alarmPage.unmuted)
  },
}

export const ALARM_ACTIONS: readonly FormAction[] = [TEST, MUTE, UNMUTE]
