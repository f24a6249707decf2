import { createHash } from 'node:crypto'
import type { Reference } from '../../api/gateway/endpoints.ts'
import { assetText } from '../frame/assets.ts'
import { facts } from '../parts/facts.ts'
import { Html, html } from '../parts/html.ts'
import type { ApiDocument } from './document.ts'
import { operationHtml, type PlacedOperation, requestLine } from './operation.ts'
import { schemaHtml } from './schema.ts'
import { paragraphs, prose } from '../parts/prose.ts'

interface Group {
  readonly name: string
  readonly description: string
  readonly operations: readonly PlacedOperation[]
}

const TO_DESTINATIONS = {
  name: 'Requests to destinations',
  description: "What the gateway sends to a destination's URL, and what the answers of your program mean.",
}

/** The document of the API for people: one page, without script, that needs no other file. @param document of OpenAPI 3.1, as /openapi.json has it */
export function referenceOf(document: object): Reference {
  const css = ['app.css', 'reference.css'].map(assetText).join('')
  const hash = createHash('sha256').update(css).digest('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  const page = Buffer.from(pageOf(document as ApiDocument, css).toString())
  return { page, contentSecurityPolicy: policy.join('; ') }
}

function pageOf(document: ApiDocument, css: string): Html {
  const { info, tags, components } = document
  const operations = placedIn(document.paths)
  const deliveries = placedIn(document.webhooks).map((operation) => ({ ...operation, path: null }))
  const groups = [
    ...tags.map((tag) => ({ ...tag, operations: operations.filter((one) => one.tags[0] === tag.name) })),
    { ...TO_DESTINATIONS, operations: deliveries },
  ]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Portaria</title>
<style>${new Html(css)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><span class="brand">Portaria ${info.version}</span> <a href="/openapi.json">openapi.json</a></header>
<main id="main" tabindex="-1">
<h1>API reference</h1>
${paragraphs(info.description)}
<nav class="contents" aria-label="Contents"><ul>
${groups.map(contentsOf)}<li><a href="#access">Access</a></li>
<li><a href="#schemas">Schemas</a></li>
</ul></nav>
${groups.map(groupHtml)}
<h2 id="access">Access</h2>
${accessSchemes(components.securitySchemes)}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => html`<section>\n<h3 id="schema-${name}">${name}</h3>\n${schemaHtml(schema)}\n</section>\n`)}
</main>
</body>
</html>
`
}

function placedIn(items: ApiDocument['paths']): PlacedOperation[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method, path })),
  )
}

function contentsOf({ name, operations }: Group): Html {
  return html`<li><a href="#${anchorOf(name)}">${name}</a><ul>${operations.map(
    ({ operationId, method, path, summary }) =>
      html`<li><a href="#${operationId}">${requestLine(method, path)}</a> ${summary}</li>\n`,
  )}</ul></li>
`
}

function groupHtml({ name, description, operations }: Group): Html {
  return html`<h2 id="${anchorOf(name)}">${name}</h2>
<p>${prose(description)}</p>
${operations.map(operationHtml)}`
}

function anchorOf(name: string): string {
  return `group-${name.replaceAll(' ', '-')}`
}

function accessSchemes(schemes: ApiDocument['components']['securitySchemes']): Html {
  return html`${Object.entries(schemes).map(([name, { description, flows }]) => {
    const scopes = Object.entries(flows?.clientCredentials.scopes ?? {})
    return html`<h3 id="access-${name}">${name}</h3>
<p>${prose(description)}</p>
${scopes.length > 0 && facts(scopes.map(([scope, meaning]) => [html`<code>${scope}</code>`, prose(meaning)]))}`
  })}`
}
