// Loaded by every page. Without it times are those of the gateway's clock zone, and everything else works.

import './connection.js'
import './keys.js'

const two = (number) => String(number).padStart(2, '0')
const dayOf = (time) => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
const clockOf = (time) => `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
const today = dayOf(new Date())

/** As the gateway writes it: `2026-11-28 16:36:05`. Of today's times a list shows the clock alone. */
function textOf(element, time) {
  const clock = clockOf(time)
  if (element.dataset.precise !== undefined)
    return `${dayOf(time)} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`
  return dayOf(time) === today && element.closest('table') !== null ? clock : `${dayOf(time)} ${clock}`
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

localizeTimes()
const zone = document.querySelector('[data-zone]')
if (zone !== null) zone.textContent = zoneText()
