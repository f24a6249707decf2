import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { LANGUAGES } from '../conformance/text.ts'
import { COOKIE, type ControlAccess, cookieOf, isSame } from '../control-api/access.ts'
import { ControlError } from '../control-api/control-endpoint.ts'
import { messageOf } from '../errors.ts'
import { html } from '../http/html.ts'
import { violationsOf } from '../http/service-error.ts'
import { ENVIRONMENTS, INTERFACES } from '../interfaces.ts'
import { type Assets, readAssets } from './assets.ts'
import { type Calls, createCalls, type Filled } from './caller-calls.ts'
import { asOf, endpointList, endpointPage, exchangeOf, findOperation, programsOf } from './endpoint-pages.ts'
import { arrivalPage, failureOf, sendFirstPayment } from './first-payment.ts'
import { documentOf, type Shown } from './frame.ts'
import { LANGUAGE_COOKIE, languageOf } from './language.ts'
import type { LocalGateway } from './local-gateway.ts'
import type { View } from './page.ts'
import { prepare } from './preparing.ts'
import { RECORD_LISTS, RECORD_PAGES } from './record-pages.ts'
import { PAGES } from './sections.ts'
import { callbackList, callbackPage, clockPage, faultPage, webhookPage } from './service-pages.ts'
import { startPage } from './start-page.ts'
import { isDone, type Step } from './steps.ts'
import type { Caller, Surroundings } from './surroundings.ts'
import { wordsOf } from './words/words.ts'

export interface PlaygroundOptions {
  readonly surroundings: Surroundings
  readonly gateway: LocalGateway
  readonly access: ControlAccess
  /** Called with errors that are not answers. */
  readonly report: (error: unknown) => void
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
    ...["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"],
  ].join('; '),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** The pages at /playground. They read, and only requests with JSON change anything. */
export function createPlayground(options: PlaygroundOptions): RequestHandler {
  const { surroundings, gateway, access } = options
  const calls = createCalls(surroundings)
  const assets = readAssets()
  const router = Router({ caseSensitive: true })
  const viewOf = createViews(surroundings, calls, gateway)
  const show: Show = (answer) => showPage(assets, viewOf, answer)

  router.use(setHeaders, refuseForeignLoads, requireJson)
  router.get('/', (request, response, next) => {
    if (/^\/playground(\?|$)/.test(request.originalUrl)) response.redirect(308, '/playground/')
    else next()
  })
  router.get('/', show(startPage))
  router.get('/assets/:name', sendAsset(assets))
  router.get('/language/:language', chooseLanguage)
  router.get('/sign-in', show(signInPage))
  router.post('/sign-in', signIn(access))
  router.get('/endpoints', show(endpointList))
  router.get(
    '/endpoints/:on/:id',
    show(async (view, { params: { on = '', id = '' } }) => {
      const operation = await findOperation(view, String(on), String(id))
      return operation && endpointPage(view, operation)
    }),
  )
  router.post(
    '/call',
    act(viewOf, callBody, async (view, { on, operation: id, ...filled }) => {
      const operation = await requireOperation(view, on, id)
      const exchange = await calls.send(view.caller, operation, filled as Filled)
      const status = exchange.answer?.status ?? null
      return { status, html: exchangeOf(view, operation, filled as Filled, exchange).text }
    }),
  )
  router.post(
    '/preview',
    act(viewOf, callBody, async (view, { on, operation: id, ...filled }) => {
      const operation = await requireOperation(view, on, id)
      return { html: programsOf(view, operation, filled as Filled).text }
    }),
  )
  router.post(
    '/prepare',
    act(viewOf, operationBody, async (view, { on, operation: id }) => {
      const steps = await prepare(view, await requireOperation(view, on, id))
      const failed = steps.find((step) => !isDone(step))
      if (failed !== undefined) throw new ControlError(422, `${failed.name}: ${failed.status ?? ''} ${failed.text}`)
      return { steps }
    }),
  )
  routeFirstPayment(router, viewOf, show)
  routeRecords(router, show)
  router.use(
    show(() => undefined),
    answerError(options.report),
  )
  return router
}

type Show = (answer: (view: View, request: Request) => Shown | undefined | Promise<Shown | undefined>) => RequestHandler

/** First payments whose steps are shown; of older ones only the callbacks are. */
const MOST_SENT = 100

function routeFirstPayment(router: Router, viewOf: Views, show: Show): void {
  const sent = new Map<string, readonly Step[]>()
  router.post(
    '/first-payment',
    act(viewOf, asBody, async (view) => {
      const { steps, idPagamento } = await sendFirstPayment(view)
      if (idPagamento === null) throw new ControlError(422, await failureOf(view, steps))
      sent.set(idPagamento, steps)
      const [oldest] = sent.keys()
      if (sent.size > MOST_SENT && oldest !== undefined) sent.delete(oldest)
      return { idPagamento, steps: steps.map(({ name, status }) => ({ name, status })) }
    }),
  )
  router.get(
    '/first-payment/:id',
    show((view, { params }) => arrivalPage(view, String(params.id), sent.get(String(params.id)) ?? [])),
  )
}

function routeRecords(router: Router, show: Show): void {
  const lists = { ...RECORD_LISTS, webhooks: webhookPage, callbacks: callbackList, clock: clockPage, faults: faultPage }
  for (const [section, list] of Object.entries(lists)) router.get(`/${section}`, show(list))
  for (const [section, page] of Object.entries({ ...RECORD_PAGES, callbacks: callbackPage }))
    router.get(
      `/${section}/:id`,
      show((view, { params }) => orMissing(page(view, String(params.id)))),
    )
}

/** Undefined for a record that is not there. */
function orMissing(shown: Promise<Shown>): Promise<Shown | undefined> {
  return shown.catch((error: unknown) => {
    if (error instanceof ControlError && error.status < 500) return undefined
    throw error
  })
}

const setHeaders: RequestHandler = (_request, response, next) => {
  response.set(HEADERS)
  next()
}

/** Of what a page of another site loads, only a whole page is shown: a link leads there. */
const refuseForeignLoads: RequestHandler = ({ headers }, _response, next) => {
  const site = headers['sec-fetch-site']
  const isForeign = site === 'cross-site' || site === 'same-site'
  if (!isForeign || (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document')) next()
  else throw new ControlError(403, 'a page of another site may not load this')
}

const requireJson: RequestHandler = (request, _response, next) => {
  if (['GET', 'HEAD'].includes(request.method) || request.is('application/json') === 'application/json') next()
  else throw new ControlError(415, 'send the body as JSON, with the header content-type: application/json')
}

function sendAsset(assets: Assets): RequestHandler {
  return function send(request, response, next) {
    const asset = assets.find(String(request.params.name))
    if (asset === undefined) next()
    else response.type(asset.type).send(asset.text)
  }
}

/** The language is a preference of the browser and changes nothing here. */
const chooseLanguage: RequestHandler = (request, response, next) => {
  const language = LANGUAGES.find((one) => one === request.params.language)
  if (language === undefined) return next()
  const { next: wanted } = request.query
  response.set(
    'set-cookie',
    `${LANGUAGE_COOKIE}=${language}; Path=/playground; Max-Age=31536000; HttpOnly; SameSite=Lax`,
  )
  response.redirect(
    303,
    typeof wanted === 'string' && /^\/playground\/(?!\/)[^\\\s]*$/.test(wanted) ? wanted : '/playground/',
  )
}

type Views = (request: Request, as?: string) => View

function createViews(surroundings: Surroundings, calls: Calls, gateway: LocalGateway): Views {
  const [first] = surroundings.callers('sandbox')
  return function viewOf({ headers, originalUrl, path }, given) {
    const url = new URL(originalUrl, 'http://localhost')
    const as = given ?? url.searchParams.get('as')
    const caller = callerOf(surroundings, as) ?? (first as Caller)
    const language = languageOf(headers)
    const isDefault = caller.application.clientId === first?.application.clientId
    return {
      surroundings,
      calls,
      gateway,
      language,
      words: wordsOf(language),
      caller,
      here: url.pathname + url.search,
      section: PAGES.find((one) => one === (path.split('/')[1] || 'start')) ?? null,
      query: url.searchParams,
      link(to) {
        const query = new URLSearchParams({ as: `${caller.environment} ${caller.application.account}` })
        return `/playground${to}${isDefault ? '' : `${to.includes('?') ? '&' : '?'}${query}`}`
      },
    }
  }
}

function callerOf(surroundings: Surroundings, as: string | null): Caller | undefined {
  return ENVIRONMENTS.flatMap((environment) => surroundings.callers(environment)).find(
    ({ environment, application }) => as === `${environment} ${application.account}`,
  )
}

function showPage(
  assets: Assets,
  viewOf: Views,
  answer: (view: View, request: Request) => Shown | undefined | Promise<Shown | undefined>,
): RequestHandler {
  return async function sendPage(request, response, next) {
    if (!['GET', 'HEAD'].includes(request.method)) return next()
    const view = viewOf(request)
    const shown = (await answer(view, request)) ?? notFound(view)
    send(response, assets, view, shown)
  }
}

function send(response: Response, assets: Assets, view: View, shown: Shown): void {
  response
    .status(shown.status ?? 200)
    .type('html')
    .send(documentOf(assets, view, shown))
}

function notFound({ words }: View): Shown {
  return { status: 404, title: words.problems.title, content: html`<p>${words.problems.notFound}</p>` }
}

const operationMembers = { as: z.string(), on: z.enum(INTERFACES), operation: z.string() }
const asBody = z.strictObject({ as: z.string() })
const operationBody = z.strictObject(operationMembers)
const callBody = z.strictObject({
  ...operationMembers,
  params: z.record(z.string(), z.string()).default({}),
  query: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
})

/** What a request of a page does; its answer is JSON. */
function act<T extends z.ZodType<{ as: string }>>(
  viewOf: Views,
  schema: T,
  run: (view: View, body: z.output<T>) => Promise<object>,
): RequestHandler {
  return async function runAction(request, response) {
    const parsed = schema.safeParse(request.body)
    if (!parsed.success) {
      const [violation] = violationsOf(parsed.error, { unknownField: 'there is no such member' })
      throw new ControlError(400, `${violation?.caminho || 'the body'}: ${violation?.mensagem}`)
    }
    refuseDeep(parsed.data)
    const view = viewOf(request, parsed.data.as)
    // A page shows the default account instead. A change of another account than the one that is named would surprise.
    if (asOf(view) !== parsed.data.as) throw new ControlError(404, 'no account of the simulator is named by "as"')
    response.json(await run(view, parsed.data))
  }
}

/** It could not be sent. @throws ControlError */
function refuseDeep(body: object): void {
  try {
    JSON.stringify(body)
  } catch {
    throw new ControlError(400, 'the body is nested too deeply')
  }
}

async function requireOperation(view: View, on: string, id: string) {
  const found = await findOperation(view, on, id)
  if (found === undefined) throw new ControlError(404, `the interface ${on} has no operation ${id}`)
  return found
}

function signInPage({ words }: View): Shown {
  return {
    title: words.signIn.title,
    content: html`<p>${words.signIn.introduction}</p><form class="narrow" data-post="/playground/sign-in" data-then="/playground/">
<p><label>${words.signIn.token} <input type="password" name="token" required autocomplete="current-password"></label></p><p><button>${words.signIn.send}</button></p><div role="status" data-output></div></form>`,
  }
}

/** Exchanges the token for a cookie, which no script reads and no other site sends. */
function signIn({ token }: ControlAccess): RequestHandler {
  const bodySchema = z.strictObject({ token: z.string().max(500) })
  return function exchangeToken(request, response) {
    const { data } = bodySchema.safeParse(request.body)
    if (token === null) throw new ControlError(404, 'this simulator needs no token')
    if (data === undefined || !isSame(data.token.trim(), token)) throw new ControlError(403, 'this is not the token')
    response.set('set-cookie', `${COOKIE}=${cookieOf(token)}; Path=/; HttpOnly; SameSite=Strict`)
    response.json({ signedIn: true })
  }
}

function answerError(report: (error: unknown) => void): ErrorRequestHandler {
  return function answer(error, _request, response, _next) {
    const { status } = error as { status?: unknown }
    if (typeof status !== 'number') report(error)
    response.status(typeof status === 'number' ? status : 500).json({ error: messageOf(error) })
  }
}
