// Loaded by every page. Without it times are those of the gateway's clock zone, in fields too, and everything else works.

import './connection.js'
import './keys.js'

const two = (number) => String(number).padStart(2, '0')
const dayOf = (time) => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
const clockOf = (time) => `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
const today = dayOf(new Date())
/** A day as the language of the page writes it: `28/11/2026` in Portuguese. */
const shownDay = (time) =>
  document.documentElement.lang === 'pt-BR' ? dayOf(time).split('-').reverse().join('/') : dayOf(time)

/** As the gateway writes it: `2026-11-28 16:36:05`, in Portuguese `28/11/2026 16:36:05`. Of today's times, but for limits, a list shows the clock alone. */
function textOf(element, time) {
  const clock = clockOf(time)
  if (element.dataset.precise !== undefined)
    return `${shownDay(time)} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`
  if (element.dataset.day !== undefined && clock === '00:00:00') return shownDay(time)
  const isShort =
    dayOf(time) === today && element.dataset.limit === undefined && element.closest('table, .lines') !== null
  return isShort ? clock : `${shownDay(time)} ${clock}`
}

/** Rewrites <time datetime> to the browser's own zone; the exact text of the gateway becomes its title. */
export function localizeTimes(within = document) {
  for (const element of within.querySelectorAll('time[datetime]:not([data-local])')) {
    const time = new Date(element.dateTime)
    if (Number.isNaN(time.getTime())) continue
    element.title = element.dateTime
    element.dataset.local = 'true'
    element.textContent = textOf(element, time)
  }
}

/** `America/Sao_Paulo, UTC-03:00`, as the gateway writes its own zone. */
function zoneText() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const minutes = -new Date().getTimezoneOffset()
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  return timeZone === 'UTC' ? 'UTC' : `${timeZone}, UTC${minutes === 0 ? '' : offset}`
}

/** The default value alone: what the person typed before they came back to the page stays. */
function localizeFields() {
  for (const field of document.querySelectorAll('input[data-moment]')) {
    const time = new Date(field.dataset.moment)
    field.defaultValue = `${dayOf(time)}T${two(time.getHours())}:${two(time.getMinutes())}`
  }
}

// The gateway takes a time without an offset for one of its own zone.
addEventListener('formdata', ({ target, formData }) => {
  for (const { name, value } of target.querySelectorAll('input[type="datetime-local"]'))
    if (value !== '') formData.set(name, new Date(value).toISOString().replace(':00.000Z', 'Z'))
})

localizeTimes()
localizeFields()
for (const zone of document.querySelectorAll('[data-zone]')) zone.textContent = zoneText()
for (const link of document.querySelectorAll('a[data-in-zone]')) {
  const address = new URL(link.href)
  address.searchParams.set('zone', Intl.DateTimeFormat().resolvedOptions().timeZone)
  link.href = address.href
}
