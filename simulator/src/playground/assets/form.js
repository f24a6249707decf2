// Reads the fields of a form of the playground as JSON, and makes its buttons work. `form.ts` writes the fields.

/** The JSON value of a node; undefined: it is left out. */
export function valueIn(node) {
  if (isNull(node)) return null
  switch (node.dataset.node) {
    case 'optional': {
      const inner = node.querySelector(':scope > fieldset')
      return inner.disabled ? undefined : valueIn(inner)
    }
    case 'union': {
      const chosen = node.querySelector(':scope > fieldset:not(:disabled)')
      return chosen === null ? undefined : valueIn(chosen)
    }
    case 'object':
      return Object.fromEntries(membersOf(node).filter(([, value]) => value !== undefined))
    case 'map':
      return Object.fromEntries(
        itemsOf(node).map((entry) => [entry.querySelector('[data-key]').value, memberOf(entry)]),
      )
    case 'list':
      return itemsOf(node).map(memberOf)
    case 'choices':
      return [...node.querySelectorAll('.choices input:checked')].map(({ value }) => value)
    default:
      return typed(node.dataset.type, node.querySelector('input:not([data-null]), select, textarea').value)
  }
}

function isNull(node) {
  const box = node.querySelector(':scope > .null > [data-null]')
  return box?.checked === true
}

/** The nodes below a node that belong to no other node. */
function nodesIn(node) {
  return [...node.querySelectorAll('[data-node]')].filter((one) => one.parentElement.closest('[data-node]') === node)
}

function membersOf(node) {
  return nodesIn(node)
    .filter((one) => one.dataset.member !== undefined)
    .map((one) => [one.dataset.member, valueIn(one)])
}

function itemsOf(node) {
  return [...node.querySelector(':scope > [data-items]').children]
}

function memberOf(entry) {
  return valueIn(nodesIn(entry)[0])
}

function typed(type, text) {
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  if (type === 'integer' || type === 'number') return Number.isNaN(Number(text)) ? text : Number(text)
  return type === 'json' ? JSON.parse(text) : text
}

/** The values of one part of a request by name, as text. */
export function parametersOf(form, place) {
  const nodes = [...form.querySelectorAll(`[data-parameter="${place}"] > [data-node]`)]
  const values = nodes.map((node) => [node.dataset.member, valueIn(node)])
  return Object.fromEntries(
    values.filter(([, value]) => value !== undefined).map(([name, value]) => [name, `${value}`]),
  )
}

/** The body of a request; undefined: it has none. @throws SyntaxError for a body as JSON that is none */
export function bodyOf(form) {
  const raw = form.querySelector('[data-raw]')
  if (raw !== null && raw.value.trim() !== '') return JSON.parse(raw.value)
  const body = form.querySelector('[data-body] > [data-node]')
  return body === null ? undefined : valueIn(body)
}

/** Adds and removes entries, and turns fields on and off. */
export function listenTo(form) {
  form.addEventListener('click', ({ target }) => {
    if ('add' in target.dataset) {
      const list = target.parentElement
      const template = list.querySelector(':scope > template')
      list.querySelector(':scope > [data-items]').append(template.content.cloneNode(true))
    } else if ('remove' in target.dataset) target.closest('[data-items] > *').remove()
    else return
    form.dispatchEvent(new Event('input'))
  })
  form.addEventListener('change', ({ target }) => {
    if ('include' in target.dataset)
      target.closest('.optional').querySelector(':scope > fieldset').disabled = !target.checked
    if ('choose' in target.dataset)
      for (const one of target.closest('.union').querySelectorAll(':scope > fieldset')) {
        one.disabled = one.dataset.alternative !== target.value
        one.hidden = one.disabled
      }
    if ('anyway' in target.dataset) form.noValidate = target.checked
    form.dispatchEvent(new Event('input'))
  })
}
