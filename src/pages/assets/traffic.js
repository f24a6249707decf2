// Bars of the traffic page: their values are read from the table below each chart.

import { showValues } from './chart-values.js'

for (const chart of document.querySelectorAll('[data-bars]')) {
  const section = chart.closest('section')
  const heads = [...section.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  const { rows } = section.querySelector('tbody')
  const mark = chart.querySelector('[data-mark]')
  showValues(chart, section.querySelector('[data-value]'), {
    count: () => rows.length,
    indexAt(x) {
      const { left, width } = chart.getBoundingClientRect()
      return Math.floor(((x - left) / width) * rows.length)
    },
    textOf(index) {
      const [from, ...counts] = [...rows[index].cells].map(({ textContent }) => textContent)
      return [from, ...counts.map((count, at) => `${heads[at + 1]}: ${count}`)].join(' · ')
    },
    show(index) {
      mark.setAttribute('x', String((index ?? 0) * mark.getAttribute('width')))
      mark.toggleAttribute('hidden', index === null)
    },
  })
}
