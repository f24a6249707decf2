import { text } from '../text.ts'
import type { Fix } from './fix.ts'

export const ANSWER_WELL: Fix = {
  nginx: text(
    'Let the location of the callback reach the application, and answer 2xx from it: error.log says why it did not.',
  ),
  haproxy: text(
    'default_backend with a server line for the application: the log says why it was not answered (termination state).',
  ),
  apache: text('ProxyPass the path to the application: error.log says why it was not answered.'),
  caddy: 'reverse_proxy 127.0.0.1:3000',
  express: "app.post('/callback', (request, response) => { /* store, then */ response.status(200).send('200') })",
  php: "http_response_code(200); echo '200';",
  alb: text(
    'The rule of the path has the action forward to the target group of the application, whose targets are healthy; the access log says which status came.',
  ),
}

export const ROUTES: Fix = {
  nginx: 'location ~ ^/callback(/|$) { rewrite ^ /callback break; proxy_pass http://127.0.0.1:3000; }',
  haproxy: 'http-request set-path /callback if { path_beg /callback/ }',
  apache: text('Two lines: RewriteEngine on and RewriteRule "^/callback(/|$)" "http://127.0.0.1:3000/callback" [P]'),
  caddy: text('Two lines: rewrite /callback/* /callback and reverse_proxy 127.0.0.1:3000'),
  express: text('app.post(/^\\/callback(\\/{1,2}(pix|rec|cobr))?\\/?$/, …), and let no value of the query decide.'),
  php: text('Let one front controller take /callback and what follows it.'),
  alb: text(
    'A rule with the path pattern /callback* and this transform: [{"Type":"url-rewrite","UrlRewriteConfig":{"Rewrites":[{"Regex":"^/callback/[^?]*","Replace":"/callback"}]}}] (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-transforms.html)',
  ),
}

const passes = (en: string, pt: string) =>
  text('{server} passes every body on: change the application.', { server: { en, pt } })

export const ANY_BODY: Fix = {
  nginx: passes('nginx', 'O nginx'),
  haproxy: passes('haproxy', 'O haproxy'),
  apache: passes('Apache', 'O Apache'),
  caddy: passes('Caddy', 'O Caddy'),
  express: text(
    "express.raw({ type: () => true, limit: '16mb' }): store the bytes first, and parse them afterwards, without failing.",
  ),
  php: text("$body = file_get_contents('php://input'); store it first, and do not fail where json_decode gives null."),
  alb: passes('The load balancer', 'O balanceador'),
}

export const LARGE_BODY: Fix = {
  nginx: 'client_max_body_size 16m;',
  haproxy: text('haproxy has no limit for bodies that it passes on: change the application.'),
  apache: 'LimitRequestBody 16777216',
  caddy: text('In the block of request_body: max_size 16MB'),
  express: "express.raw({ type: () => true, limit: '16mb' })",
  php: 'post_max_size = 16M',
  alb: text('A target of the type instance or ip gets every length; one of the type lambda 1 MB at most.'),
}

export const SLOW_CLIENTS: Fix = {
  nginx: 'client_body_timeout 60s; proxy_request_buffering on;',
  haproxy: 'timeout client 60s',
  apache: 'RequestReadTimeout body=60,MinRate=1',
  caddy: text('In the global options, in the block of servers and in that of timeouts: read_body 60s'),
  express: text(
    'server.requestTimeout = 60_000, and an error handler on each request: a cut connection must not end the process.',
  ),
  php: 'max_input_time = 60',
  alb: 'aws elbv2 modify-load-balancer-attributes --load-balancer-arn LOAD_BALANCER --attributes Key=idle_timeout.timeout_seconds,Value=60',
}

export const NO_REDIRECT: Fix = {
  nginx: text('No return 301 and no rewrite for the callback; register the URL that answers itself.'),
  haproxy: text('No http-request redirect for the callback.'),
  apache: text('No Redirect, RewriteRule [R] or DirectorySlash for the callback.'),
  caddy: text('No redir for the callback.'),
  express: text('No response.redirect, and no login in front of the callback.'),
  php: text("No header('Location: …') for the callback."),
  alb: text('No action redirect or authenticate-oidc in the rule of the callback.'),
}

const UNIQUE_FACT = text(
  'A unique index on id and status of each fact, and insert … on conflict do nothing. Not on a charge token: it is the same for several facts.',
)
const STORES_NOTHING = text('The application stores: change it.')

export const STORE_ONCE: Fix = {
  nginx: STORES_NOTHING,
  haproxy: STORES_NOTHING,
  apache: STORES_NOTHING,
  caddy: STORES_NOTHING,
  express: UNIQUE_FACT,
  php: UNIQUE_FACT,
  alb: STORES_NOTHING,
}

export const STORE_FIRST: Fix = {
  nginx: text('nginx stores nothing: answer from the application, not with return 200.'),
  haproxy: text('haproxy stores nothing: answer from the application, not with http-request return.'),
  apache: text('Apache stores nothing: answer from the application.'),
  caddy: text('Caddy stores nothing: answer from the application, not with respond.'),
  express: text(
    "await the commit of the whole body, each fact of it, before response.send; 503 where it fails. Read the body with express.raw({ type: () => true, limit: '16mb' }): express.json leaves out that of other content types.",
  ),
  php: text('Commit (or fsync of the file) before the first echo; http_response_code(503) where it fails.'),
  alb: text('The load balancer stores nothing: answer from the application, not with the action fixed-response.'),
}

const PASSES_ANSWER = text(
  'The answer of the application is passed on: it is 202, and repeats the x-webhook-interaction-id of the request.',
)

/** What open finance wants. */
export const ACCEPTED: Fix = {
  nginx: PASSES_ANSWER,
  haproxy: PASSES_ANSWER,
  apache: PASSES_ANSWER,
  caddy: PASSES_ANSWER,
  express:
    "/* store, then */ response.status(202).set('x-webhook-interaction-id', request.get('x-webhook-interaction-id')).end()",
  php: "http_response_code(202); header('x-webhook-interaction-id: ' . $_SERVER['HTTP_X_WEBHOOK_INTERACTION_ID']);",
  alb: PASSES_ANSWER,
}

export const OPEN_FINANCE_ROUTES: Fix = {
  nginx: 'location BASE/open-banking/webhook/v1/ { proxy_pass http://127.0.0.1:3000; }',
  haproxy: 'use_backend app if { path_beg BASE/open-banking/webhook/v1/ }',
  apache: 'ProxyPass "BASE/open-banking/webhook/v1/" "http://127.0.0.1:3000BASE/open-banking/webhook/v1/"',
  caddy: 'reverse_proxy BASE/open-banking/webhook/v1/* 127.0.0.1:3000',
  express: "app.post('BASE/open-banking/webhook/v1/:api/:version/*resource', …)",
  php: text('Let one front controller take BASE/open-banking/webhook/v1/ and what follows it.'),
  alb: text('A rule with the path pattern BASE/open-banking/webhook/v1/* and the action forward.'),
}
