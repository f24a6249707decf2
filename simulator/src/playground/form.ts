import { alternativesOf, isNullable, type Schema, typeOf } from '../documents/json-schema.ts'
import { fits } from '../documents/schema-example.ts'
import { type Html, html } from '../http/html.ts'
import { htmlPattern, limitsOf } from './limits.ts'
import { textIn, type Words } from './words/words.ts'

/** What all fields of a form share. */
export interface FormContext {
  readonly words: Words
  /** Of what the values leave out. */
  readonly exampleOf: (schema: Schema, path: readonly string[]) => unknown
}

export interface Field {
  readonly schema: Schema
  /** Names from the body to this member; empty: the body. */
  readonly path: readonly string[]
  /** undefined: left out. */
  readonly value: unknown
  readonly isRequired: boolean
  /** Id of the list of values that are offered; left out: none are. */
  readonly offers?: string
}

/**
 * The fields of a JSON schema. `assets/form.js` reads the values back by the attributes `data-node`, `data-member` and `data-type`.
 * What a schema limits, the browser checks.
 */
export function fieldOf(context: FormContext, field: Field): Html {
  const { schema, value } = field
  const alternatives = alternativesOf(schema)
  const objects = alternatives.filter((one) => typeOf(one) === 'object')
  const [first] = alternatives
  if (objects.length > 1) return unionOf(context, field, objects)
  // The alternatives are values of one kind each, with or without null.
  if (first !== undefined) return fieldOf(context, { ...field, schema: inPlaceOf(schema, first) })
  switch (typeOf(schema)) {
    case 'object':
      return schema.properties === undefined && typeof schema.additionalProperties !== 'object'
        ? jsonOf(context, field)
        : groupOf(context, field, typeof schema.additionalProperties === 'object' ? mapOf : membersOf)
    case 'array':
      return groupOf(context, field, schema.items?.enum !== undefined ? choicesOf : listOf)
    case undefined:
      return jsonOf(context, field)
    default:
      return leafOf(context, { ...field, value: value === undefined && field.isRequired ? schema.default : value })
  }
}

/** An alternative with the words of the schema whose place it takes. */
function inPlaceOf(schema: Schema, alternative: Schema): Schema {
  const { description, default: preset } = schema
  return {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...alternative,
    ...(isNullable(schema) && { anyOf: [{ type: 'null' }] }),
  }
}

function nameOf({ path }: Field): string {
  return path.at(-1) ?? ''
}

/** A group of fields that can be left out. */
function groupOf(
  context: FormContext,
  field: Field,
  inner: (context: FormContext, field: Field, value: unknown) => Html,
): Html {
  const { words } = context
  const { schema, path, value, isRequired } = field
  const isLeftOut = value === undefined || value === null
  const shown = isLeftOut ? context.exampleOf(schema, path) : value
  const limits = limitsOf({ ...(schema.description !== undefined && { description: schema.description }) }, words)
  const node =
    typeOf(schema) === 'array' ? (inner === choicesOf ? 'choices' : 'list') : inner === mapOf ? 'map' : 'object'
  const content = html`${limits === '' ? null : html`<span class="hint">${limits}</span>`}${inner(context, field, shown)}`
  if (path.length === 0) return html`<div data-node="${node}">${content}</div>`
  const legend = html`<code>${nameOf(field)}</code>`
  if (isRequired)
    return html`<fieldset data-member="${nameOf(field)}" data-node="${node}"><legend>${legend}</legend>${content}</fieldset>`
  return html`<div class="optional" data-member="${nameOf(field)}" data-node="optional">
<label class="include"><input type="checkbox" data-include autocomplete="off"${isLeftOut ? null : html` checked`}> ${legend}</label>${nullBox(context, field)}
<fieldset data-node="${node}"${isLeftOut ? html` disabled` : null}><legend class="visually-hidden">${nameOf(field)}</legend>${content}</fieldset>
</div>`
}

function membersOf(context: FormContext, { schema, path }: Field, value: unknown): Html {
  const given = isRecord(value) ? value : {}
  const required = schema.required ?? []
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) =>
    fieldOf(context, {
      schema: member,
      path: [...path, name],
      value: given[name],
      isRequired: required.includes(name),
    }),
  )
  return html`${members}`
}

/** Members with any name. */
function mapOf(context: FormContext, { schema, path }: Field, value: unknown): Html {
  const { words } = context
  const member = schema.additionalProperties as Schema
  const { maxLength, minLength } = schema.propertyNames ?? {}
  const entry = (name: string, one: unknown) => html`<fieldset data-node="entry"><legend>${words.form.entry}</legend>
<label>${words.form.name} <input data-key value="${name}" required autocomplete="off"${bound('minlength', minLength)}${bound('maxlength', maxLength)}></label>
${fieldOf(context, { schema: member, path: [...path, '*'], value: one, isRequired: true })}
<button type="button" class="link" data-remove>${words.form.remove}</button></fieldset>`
  const entries = Object.entries(isRecord(value) ? value : {}).map(([name, one]) => entry(name, one))
  const [known] = Object.entries(isRecord(value) ? value : {})
  return html`<div data-items>${entries}</div>${adding(context, entry(known?.[0] ?? '', context.exampleOf(member, [...path, '*'])))}`
}

function listOf(context: FormContext, { schema, path }: Field, value: unknown): Html {
  const item = schema.items ?? {}
  const { words } = context
  const entry = (one: unknown) => html`<div class="item" data-node="item">
${fieldOf(context, { schema: item, path: [...path, words.form.item], value: one, isRequired: true })}
<button type="button" class="link" data-remove>${words.form.remove}</button></div>`
  const given = Array.isArray(value) ? value : []
  return html`<div data-items>${given.map(entry)}</div>${adding(context, entry(given[0] ?? context.exampleOf(item, path)))}`
}

function adding({ words }: FormContext, entry: Html): Html {
  return html`<template>${entry}</template><button type="button" class="link" data-add>${words.form.add}</button>`
}

/** A list of some of few values. */
function choicesOf(_context: FormContext, { schema }: Field, value: unknown): Html {
  const chosen = Array.isArray(value) ? value : []
  return html`<div class="choices">${(schema.items?.enum ?? []).map(
    (one) =>
      html`<label><input type="checkbox" value="${String(one)}" autocomplete="off"${chosen.includes(one) ? html` checked` : null}> ${String(one)}</label>`,
  )}</div>`
}

function unionOf(context: FormContext, field: Field, alternatives: readonly Schema[]): Html {
  const { words } = context
  const { value, path, isRequired, schema } = field
  const isLeftOut = value === undefined || value === null
  const found = alternatives.findIndex((one) => fits(one as never, value))
  const chosen = isLeftOut && !isRequired ? -1 : Math.max(found, 0)
  const options = alternatives.map(
    (one, index) => html`<option value="${index}"${index === chosen ? html` selected` : null}>${titleOf(one)}</option>`,
  )
  const none = isRequired
    ? null
    : html`<option value=""${chosen === -1 ? html` selected` : null}>${words.form.leftOut}</option>`
  const bodies = alternatives.map((one, index) => {
    const given = index === chosen && !isLeftOut ? value : context.exampleOf(one, path)
    const off = index === chosen ? null : html` disabled hidden`
    return html`<fieldset data-node="object" data-alternative="${index}"${off}><legend class="visually-hidden">${titleOf(one)}</legend>${membersOf(context, { ...field, schema: one }, given)}</fieldset>`
  })
  const limits =
    schema.description === undefined
      ? null
      : html`<span class="hint">${textIn(context.words, schema.description)}</span>`
  return html`<div class="union" data-node="union"${path.length === 0 ? null : html` data-member="${nameOf(field)}"`}>
<label>${path.length === 0 ? words.form.kind : html`<code>${nameOf(field)}</code>`} <select data-choose autocomplete="off">${none === null ? options : [none, ...options]}</select></label>${limits}${nullBox(context, field)}
${bodies}</div>`
}

/** `fault: duplicate`, or the members that an alternative requires. */
function titleOf({ properties = {}, required = [] }: Schema): string {
  const fixed = Object.entries(properties).filter(([, { const: only }]) => only !== undefined)
  if (fixed.length > 0) return fixed.map(([name, { const: only }]) => `${name}: ${only}`).join(', ')
  return required.join(', ')
}

function leafOf(context: FormContext, field: Field): Html {
  const { words } = context
  const { schema, isRequired, value } = field
  const limits = limitsOf(schema, words)
  const mark = isRequired ? html` <span class="mark">${words.form.required}</span>` : null
  const hint = limits === '' ? null : html`<span class="hint">${limits}</span>`
  const example = value === undefined ? context.exampleOf(schema, field.path) : undefined
  return html`<div class="field" data-member="${nameOf(field)}" data-node="leaf" data-type="${typeOf(schema) ?? 'string'}">
<label><code>${nameOf(field)}</code>${mark} ${inputOf(context, field, example)}</label>${nullBox(context, field)}${hint}</div>`
}

function inputOf({ words }: FormContext, { schema, isRequired, value, offers }: Field, example: unknown): Html {
  const type = typeOf(schema)
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (type === 'boolean' || values !== undefined) {
    const choices = (values ?? [true, false]).map((one) => option(String(one), one === value))
    const none =
      isRequired && values !== undefined ? null : option('', value === undefined || value === null, words.form.leftOut)
    return html`<select autocomplete="off"${isRequired ? html` required` : null}>${none === null ? choices : [none, ...choices]}</select>`
  }
  const text = value === undefined || value === null ? '' : String(value)
  const { minLength, maxLength, minimum, exclusiveMinimum, maximum, format } = schema
  const required = isRequired ? html` required` : null
  const list = offers === undefined ? null : html` list="${offers}"`
  const lengths = html`${list}${bound('minlength', minLength)}${bound('maxlength', maxLength)}`
  const shown = example === undefined || typeof example === 'object' ? null : html` placeholder="${String(example)}"`
  if (type === 'string' && /\\[rn]/.test(schema.pattern ?? '') && format === undefined)
    return html`<textarea rows="3"${required}${lengths}${shown}>${text}</textarea>`
  if (type === 'integer' || type === 'number') {
    const step = type === 'integer' ? '1' : 'any'
    return html`<input type="number" step="${step}" value="${text}" autocomplete="off"${list}${required}${bound('min', minimum ?? exclusiveMinimum)}${bound('max', maximum)}${shown}>`
  }
  const kind = { date: 'date', email: 'email', uri: 'url' }[format ?? ''] ?? 'text'
  const pattern = kind === 'date' ? null : htmlPattern(schema.pattern)
  return html`<input type="${kind}" value="${text}" autocomplete="off" spellcheck="false"${required}${lengths}${pattern === null ? null : html` pattern="${pattern}"`}${shown}>`
}

function option(value: string, isSelected: boolean, title = value): Html {
  return html`<option value="${value}"${isSelected ? html` selected` : null}>${title}</option>`
}

function bound(name: string, value: number | undefined): Html | null {
  return value === undefined ? null : html` ${name}="${value}"`
}

/** Null in place of a value. */
function nullBox({ words }: FormContext, { schema, value }: Field): Html | null {
  if (!isNullable(schema)) return null
  return html`<label class="null"><input type="checkbox" data-null autocomplete="off"${value === null ? html` checked` : null}> ${words.form.isNull}</label>`
}

/** Any JSON value. */
function jsonOf({ words }: FormContext, field: Field): Html {
  const { value, isRequired } = field
  const text = value === undefined ? '' : JSON.stringify(value, null, 2)
  return html`<div class="field"${field.path.length === 0 ? null : html` data-member="${nameOf(field)}"`} data-node="leaf" data-type="json">
<label><code>${nameOf(field)}</code> ${words.form.json} <textarea rows="4" spellcheck="false"${isRequired ? html` required` : null}>${text}</textarea></label></div>`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
