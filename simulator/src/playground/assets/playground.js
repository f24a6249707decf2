// Sends the forms of the playground as JSON. Every page can be read without it.

import { bodyOf, listenTo, parametersOf } from './form.js'
import { updateChildren } from './update.js'

const unreachable = document.getElementById('unreachable')

/** @returns the JSON of the answer @throws Error with the reason of a refusal */
async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error) => {
    unreachable.textContent = unreachable.dataset.text
    unreachable.hidden = false
    throw error
  })
  unreachable.hidden = true
  const text = await response.text()
  const json = text === '' ? null : JSON.parse(text)
  if (!response.ok) throw new Error(json?.error ?? `${response.status}`)
  return json
}

function say(output, kind, text) {
  const line = document.createElement('p')
  line.className = `flash ${kind}`
  line.textContent = text
  output.replaceChildren(line)
}

/** The request of an endpoint's form. */
function requestOf(form) {
  const { call: operation, on, as } = form.dataset
  const [params, query, body] = [parametersOf(form, 'path'), parametersOf(form, 'query'), bodyOf(form)]
  return { as, on, operation, params, query, ...(body !== undefined && { body }) }
}

/** Sends the request of an endpoint, and keeps the programs beside it up to date. */
function serveCall(form) {
  const output = document.getElementById('output')
  const programs = document.getElementById('code')
  const title = programs.querySelector('h2')
  let last = ''
  async function preview() {
    try {
      const request = requestOf(form)
      last = JSON.stringify(request)
      const { html } = await ask('POST', '/playground/preview', request)
      // An older answer may come after a newer one.
      if (last === JSON.stringify(request)) {
        programs.innerHTML = html
        programs.prepend(title)
      }
    } catch {
      // A body as JSON that is still being written.
    }
  }
  form.addEventListener('input', preview)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    output.setAttribute('aria-busy', 'true')
    try {
      const { html } = await ask('POST', '/playground/call', requestOf(form))
      output.innerHTML = html
    } catch (error) {
      say(output, 'bad', error.message)
    }
    output.removeAttribute('aria-busy')
  })
}

/** Sends plain fields to the playground, or the fields of an operation to the control API. */
function servePost(form) {
  const output = form.querySelector('[data-output]')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { post, method = 'POST', then } = form.dataset
    try {
      const query = new URLSearchParams(parametersOf(form, 'query'))
      const params = parametersOf(form, 'path')
      const path = post.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
      const separator = path.includes('?') ? '&' : '?'
      const body = bodyToSend(form)
      const answer = await ask(method, query.size === 0 ? path : `${path}${separator}${query}`, body)
      if (then === 'reload') location.reload()
      else if (then === undefined) show(output, answer)
      else location.assign(then.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(answer[name])))
    } catch (error) {
      say(output, 'bad', error.message)
    }
  })
}

function bodyToSend(form) {
  if (form.dataset.fixed !== undefined) return JSON.parse(form.dataset.fixed)
  return form.dataset.control === undefined ? plainFields(form) : bodyOf(form)
}

function plainFields(form) {
  return Object.fromEntries([...new FormData(form)].filter(([name]) => name !== ''))
}

function show(output, answer) {
  const text = document.createElement('pre')
  text.tabIndex = 0
  text.textContent = JSON.stringify(answer, null, 2)
  output.replaceChildren(text)
}

for (const form of document.querySelectorAll('form[data-call], form[data-post]')) {
  listenTo(form)
  if (form.dataset.call === undefined) servePost(form)
  else serveCall(form)
}

document.addEventListener('click', async ({ target }) => {
  if (!('copy' in target.dataset)) return
  await navigator.clipboard.writeText(target.parentElement.querySelector('pre').textContent)
  target.textContent = '✓'
})

/** A live page loads itself again, until a field is used. */
if ('live' in document.body.dataset) {
  const timer = setInterval(async () => {
    const response = await fetch(location.href).catch(() => null)
    if (response === null || !response.ok) return
    const next = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const region of document.querySelectorAll('[data-region]')) {
      const other = next.querySelector(`[data-region="${region.dataset.region}"]`)
      if (other !== null) updateChildren(region, other)
    }
    if (!('live' in next.body.dataset)) clearInterval(timer)
  }, 1000)
}
