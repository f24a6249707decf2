// Follows the gateway on the overview page: draws the plots, and changes numbers, reasons and lists as they come.

import { showValues } from './chart-values.js'
import { localizeTimes } from './common.js'
import { updateChildren } from './update.js'
import uPlot from './uplot.js'

const root = document.getElementById('overview')
const words = JSON.parse(root.dataset.words)
const places = JSON.parse(root.dataset.places)
const links = JSON.parse(root.dataset.links)
/** What they are in words, where that says more. */
const kindWords = JSON.parse(root.dataset.kinds)
const LISTED = 25
const PLOT_HEIGHT = 180
const COLORS = 6

// ---- texts, as the gateway writes them

function spanText(seconds) {
  if (seconds <= 0) return '0 s'
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const decimalText = (number) => String(number).replace('.', words.decimal)

function filledIn(template, values) {
  const shown = template.replace(/\[(.*)\]/, values.until ? '$1' : '')
  return shown.replaceAll(/\{(\w+)\}/g, (all, name) => values[name] ?? all)
}

/** Pages show no folders of the gateway's machine. */
function fileName(name) {
  return name.replace(/(^|: )\/(?:[^/]*\/)*(?=[^/]+$)/, '$1')
}

/** As `detailText` of the gateway. */
function detailText(detail) {
  const [, code = '', others = ''] = /^([a-z_]+)(?:: (.*))?$/s.exec(detail) ?? []
  return Object.hasOwn(words.details, code) ? words.details[code].replaceAll('{words}', () => others) : detail
}

function inWords(text) {
  return text.replace(/\bproduction\b/, (name) => words.environments[name] ?? name)
}

const TIMES = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z)/

/** The text with its times as elements. */
function withTimes(text) {
  return text.split(TIMES).map((part, index) => {
    if (index % 2 === 0) return part
    const time = element('time', part)
    time.dateTime = part
    return time
  })
}

/** The same, and words of a receiver as quotations. */
function withQuotes(text) {
  return text.split(/“([^”]*)”/).flatMap((part, index) => {
    if (index % 2 === 0) return withTimes(part)
    const quotation = element('q', part)
    quotation.lang = 'en'
    return [quotation]
  })
}

function reasonText({ code, subject, value, detail, until, text }) {
  const [count, span] = [String(value ?? 0), spanText(value ?? 0)]
  const known = detailText(detail ?? '')
  const shown = code === 'callbacks_refused' ? inWords(known) : known
  const values = { subject: inWords(fileName(subject ?? '')), detail: shown, until: until ?? '', count, span }
  return filledIn(words.reasons[code]?.text ?? text, values)
}

function sizeText(bytes) {
  if (bytes === null) return words.unknown
  const [unit, size] = bytes >= 1024 ** 3 ? ['GiB', 1024 ** 3] : ['MiB', 1024 ** 2]
  return `${decimalText((bytes / size).toFixed(1))} ${unit}`
}

function searchText(search) {
  if (search === null) return words.unknown
  if (!search.isRebuilding && search.lagEvents === 0) return words.searchCurrent
  const text = search.isRebuilding ? words.searchRebuilding : words.searchBehind
  return filledIn(text, { count: String(search.lagEvents), span: spanText(search.lagSeconds) })
}

// ---- elements; every value is set as text, never as HTML

function element(name, text, className) {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (className !== undefined) made.className = className
  return made
}

function badge(text, tone) {
  return element('span', text, `badge ${tone}`)
}

function timeOf(iso) {
  const time = element('time', iso)
  time.dateTime = iso
  return time
}

function link(path, text) {
  const made = element('a', text)
  made.href = path
  return made
}

/** As `codeLink` of the gateway. */
function codeLink(code) {
  const made = link(`/ui/codes?${new URLSearchParams({ code })}`)
  made.className = 'code'
  made.append(element('code', code))
  return made
}

function linksOf({ code, about }) {
  const inPath = (about ?? '').split('/').map(encodeURIComponent).join('/')
  return (places[code] ?? [])
    .filter(({ path }) => about !== null || !path.includes('{about}'))
    .flatMap(({ text, path }) => [' ', link(path.replace('{about}', inPath), text)])
}

function kindLink(kind) {
  const [institution, name] = kind.includes('/') ? kind.split('/', 2) : ['', kind]
  const query = new URLSearchParams(institution === '' ? { kind: name } : { kind: name, institution })
  const shown = document.createDocumentFragment()
  shown.append(links.find ? link(`/ui/?${query}`, kind) : kind)
  if (kindWords[name] != null) shown.append(' ', element('span', kindWords[name], 'hint'))
  return shown
}

function show(selector, text) {
  const found = root.querySelector(selector)
  if (found !== null && found.textContent !== text) found.textContent = text
}

/** @param rows of cells: texts, numbers or elements */
function showRows(name, rows) {
  const part = root.querySelector(`[data-part="${name}"]`)
  part.querySelector('[data-empty]').hidden = rows.length > 0
  part.querySelector('[data-rows]').hidden = rows.length === 0
  const heads = [...part.querySelectorAll('thead th')]
  const wanted = element('tbody')
  for (const cells of rows) {
    const row = wanted.insertRow()
    for (const [index, cell] of cells.entries()) {
      const made = element(index === 0 ? 'th' : 'td', undefined, heads[index].className)
      if (index === 0) made.scope = 'row'
      else made.dataset.title = heads[index].textContent
      made.append(cell)
      row.append(made)
    }
  }
  updateChildren(part.querySelector('tbody'), wanted)
}

function showLight({ light, reasons }) {
  const lamp = root.querySelector('[data-light]')
  lamp.className = `light ${light}`
  show('[data-light]', words.lights[light])
  root.querySelector('[data-no-reasons]').hidden = reasons.length > 0
  const wanted = element('ul')
  for (const reason of reasons) {
    const item = element('li', undefined, reason.severity)
    item.dataset.key = `${reason.code} ${fileName(reason.subject ?? '')}`
    const others = reason.others > 0 ? ` (${filledIn(words.others, { count: String(reason.others) })})` : ''
    const step = element('span', words.reasons[reason.code]?.nextStep ?? reason.nextStep, 'hint')
    step.append(...linksOf(reason), ' ', codeLink(reason.code))
    item.append(
      element('strong', `${words.severities[reason.severity]}:`),
      ' ',
      ...withQuotes(`${reasonText(reason)}${others}`),
      step,
    )
    wanted.append(item)
  }
  updateChildren(root.querySelector('[data-reasons]'), wanted)
}

function sumOfLast(counts, minutes, skipped = 0) {
  const end = counts.length - skipped
  return counts.slice(Math.max(0, end - minutes), Math.max(0, end)).reduce((sum, count) => sum + count, 0)
}

function showState(state) {
  showLight(state)
  showRows(
    'traffic',
    Object.entries(state.callbacksPerMinute).map(([kind, counts]) => [
      ...[kindLink(kind), sumOfLast(counts, 1), sumOfLast(counts, 1, 1), sumOfLast(counts, 5), sumOfLast(counts, 60)],
    ]),
  )
  for (const name of ['p50', 'p99']) {
    const ms = state.acknowledgeLatency[name]
    show(`[data-value="${name}"]`, ms === null ? words.noLatency : `${decimalText(ms)} ms`)
  }
  showRows(
    'destinations',
    state.destinations
      .slice(0, LISTED)
      .map(({ id, name, owner, state: now, circuit, pending, blocked, oldestSeconds }) => [
        ...[
          links.destinations ? link(`/ui/destinations/${id}`, name) : name,
          owner ?? '',
          badge(words.states[now], now === 'paused' ? 'warn' : 'good'),
        ],
        badge(words.circuits[circuit], circuit === 'open' ? 'bad' : 'good'),
        ...[pending, blocked, oldestSeconds === null ? '' : spanText(oldestSeconds)],
      ]),
  )
  const rest = state.destinations.length - LISTED
  root.querySelector('[data-more]').hidden = rest <= 0
  show('[data-more]', filledIn(words.moreDestinations, { count: String(rest) }))
  showRows(
    'silentKinds',
    state.silentKinds.map(({ kind, institution, lastReceivedAt }) => [
      kindLink(institution === null ? kind : `${institution}/${kind}`),
      lastReceivedAt === null ? words.never : timeOf(lastReceivedAt),
    ]),
  )
  show('[data-value="freeBytes"]', sizeText(state.freeSpace?.freeBytes ?? null))
  show('[data-value="search"]', searchText(state.search))
  localizeTimes(root)
}

// ---- plots

const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const plots = new Map()

const MINUTES = 60

/** Seconds since 1970 at the start of each minute of the last hour, the current one last. */
function lastHour(at) {
  const last = Math.floor(Date.parse(at) / 60_000) * 60
  return Array.from({ length: MINUTES }, (_, index) => last - (MINUTES - 1 - index) * 60)
}

/** Without values before the gateway started. */
function ofLastHour(values) {
  return [...new Array(Math.max(0, MINUTES - values.length)).fill(null), ...values.slice(-MINUTES)]
}

const clockOf = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString(document.documentElement.lang, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })

const partOf = (kind, name) => root.querySelector(`[data-${kind}="${name}"]`)

/** Minutes with a value. */
const valued = ([times, ...columns]) =>
  times.flatMap((_, index) => (columns.some((one) => one[index] != null) ? [index] : []))

const cellText = (value) => (value == null ? '' : decimalText(value))

/** For screen readers, and for who wants the numbers: made while it is open. */
function fillNumbers(name) {
  const details = partOf('numbers', name)
  const { series, data } = plots.get(name) ?? {}
  if (!details.open || data === undefined) return
  const made = element('table')
  const heads = made.createTHead().insertRow()
  for (const title of [words.minute, ...series.map(({ label }) => label)]) {
    const head = element('th', title)
    head.scope = 'col'
    heads.append(head)
  }
  const body = made.createTBody()
  for (const index of valued(data).reverse()) {
    const row = body.insertRow()
    const minute = element('th', clockOf(data[0][index]))
    minute.scope = 'row'
    row.append(minute)
    for (const [at, column] of data.slice(1).entries()) {
      const cell = element('td', cellText(column[index]), 'number')
      cell.dataset.title = series[at].label
      row.append(cell)
    }
  }
  details.lastElementChild.replaceChildren(made)
}

/** Once for each figure: its plot may be made again. */
function followPointer(name) {
  const figure = partOf('plot', name)
  const plotNow = () => plots.get(name).plot
  const indexes = () => valued(plots.get(name).data)
  showValues(figure, partOf('value-of', name), {
    count: () => indexes().length,
    indexAt: (x) => indexes().indexOf(plotNow().posToIdx(x - plotNow().over.getBoundingClientRect().left)),
    textOf(at) {
      const { series, data } = plots.get(name)
      const index = indexes()[at]
      const values = series.map(({ label }, number) => `${label}: ${cellText(data[number + 1][index])}`)
      return [clockOf(data[0][index]), ...values].join(' · ')
    },
    show(at) {
      const left = at === null ? -10 : plotNow().valToPos(plots.get(name).data[0][indexes()[at]], 'x')
      plotNow().setCursor({ left, top: at === null ? -10 : 0 })
    },
  })
  partOf('numbers', name).addEventListener('toggle', () => fillNumbers(name))
}

function draw(name, unit, series, data) {
  const figure = partOf('plot', name)
  const known = plots.get(name)
  const hasLine = valued(data).length > 1
  partOf('few', name).hidden = hasLine
  for (const kind of ['numbers', 'value-of']) partOf(kind, name).hidden = !hasLine
  if (!hasLine) return
  const labels = series.map(({ label }) => label).join('\n')
  if (known !== undefined && known.labels === labels) {
    known.plot.setData(data)
    known.data = data
    return fillNumbers(name)
  }
  known?.plot.destroy()
  figure.hidden = false
  const axis = {
    stroke: colorOf('--text'),
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { stroke: colorOf('--line') },
  }
  const options = {
    width: figure.clientWidth,
    height: PLOT_HEIGHT,
    legend: { live: false },
    cursor: { y: false, drag: { x: false, y: false }, bind: { mousemove: () => null } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      {
        ...axis,
        values: (_plot, times) => times.map(clockOf),
      },
      { ...axis, label: unit, labelSize: 20, values: (_plot, numbers) => numbers.map(decimalText) },
    ],
    series: [{}, ...series],
  }
  plots.set(name, { plot: new uPlot(options, data, figure), labels, series, data })
  if (figure.dataset.follows === undefined) followPointer(name)
  figure.dataset.follows = 'true'
  fillNumbers(name)
}

function drawState({ at, callbacksPerMinute, waitingPerMinute, acknowledgeLatency }) {
  const kinds = Object.entries(callbacksPerMinute)
  const times = lastHour(at)
  if (kinds.length > 0) {
    const series = kinds.map(([label], index) => ({
      label,
      width: 2,
      stroke: colorOf(`--plot-${(index % COLORS) + 1}`),
    }))
    draw('callbacks', words.callbacks, series, [times, ...kinds.map(([, counts]) => ofLastHour(counts))])
  }
  const one = (label) => [{ label, width: 2, stroke: colorOf('--plot-1'), spanGaps: true }]
  draw('latency', 'ms', one(`${words.p99} (ms)`), [times, ofLastHour(acknowledgeLatency.p99PerMinute)])
  draw('waiting', words.waiting, one(words.waiting), [times, ofLastHour(waitingPerMinute)])
}

function redraw() {
  for (const { plot } of plots.values()) plot.destroy()
  plots.clear()
  drawState(latest)
}

// ---- the stream

let latest = JSON.parse(root.dataset.state)

function setLive(isLive) {
  root.querySelector('[data-live]').hidden = !isLive
  root.querySelector('[data-lost]').hidden = isLive
}

/** After a stream that the gateway refuses, such as after the end of the session, a browser does not try again by itself. */
const AGAIN_MS = 15_000

function follow() {
  const stream = new EventSource('/ui/api/v1/overview/stream')
  stream.addEventListener('overview', ({ data }) => {
    latest = JSON.parse(data)
    setLive(true)
    showState(latest)
    drawState(latest)
  })
  stream.addEventListener('error', () => {
    setLive(false)
    if (stream.readyState !== EventSource.CLOSED) return
    stream.close()
    setTimeout(follow, AGAIN_MS)
  })
}

drawState(latest)
follow()
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
addEventListener('resize', () => {
  for (const [name, { plot }] of plots)
    plot.setSize({ width: root.querySelector(`[data-plot="${name}"]`).clientWidth, height: PLOT_HEIGHT })
})
