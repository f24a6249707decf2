// Loaded by every page. Without it times are those of the gateway's clock zone, and everything else works.

import './connection.js'

const language = document.documentElement.lang
const forms = {
  second: new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'medium' }),
  millisecond: new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }),
}

/** Rewrites <time datetime> to the browser's own zone; the exact text of the gateway becomes its title. */
export function localizeTimes(within = document) {
  for (const element of within.querySelectorAll('time[datetime]:not([data-local])')) {
    const time = new Date(element.dateTime)
    if (Number.isNaN(time.getTime())) continue
    element.title = element.dateTime
    element.dataset.local = 'true'
    element.textContent = (element.dataset.precise === undefined ? forms.second : forms.millisecond).format(time)
  }
}

localizeTimes()
