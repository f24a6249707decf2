import { ACCEPTED, OPEN_FINANCE_ROUTES } from './fixes/answers.ts'
import type { Fix } from './fixes/fix.ts'
import type { Scenario } from './scenario.ts'
import {
  FIELD,
  pixApi,
  RESPONSE_TIMES,
  type Rule,
  rfc,
  rule,
  SILENT_1,
  type Source,
  webhookApi,
  webhookGuide,
} from './sources.ts'

type Rules = Readonly<Record<string, Rule>>

const MUTUAL_TLS = ['certless', 'certless-without-name', 'certless-by-address', 'tls-1-2', 'tls-1-3', 'stored-refused']

/** Of TLS and of networks, wherever the institution is. */
const GENERAL: Rules = {
  'tls-older': rule(rfc(8996, '4'), 'TLS 1.0 and 1.1 must not be used.', 'TLS 1.0 e 1.1 não podem ser usados.'),
  ...forEach(
    ['foreign', 'foreign-same-name', 'expired', 'server-only'],
    rule(
      rfc(5280, '6.1'),
      'A certificate counts if its signatures lead to a trusted issuer, it is in date, and its usages cover the purpose. Its names alone prove nothing.',
      'Um certificado vale se as assinaturas levam a um emissor confiável, se está na validade e se os usos cobrem o fim. Os nomes sozinhos nada provam.',
    ),
  ),
  'session-without-certificate': rule(
    rfc(8446, '2.2'),
    'A resumed session exchanges no certificates again, and some servers then take the caller for a verified one.',
    'Uma sessão retomada não troca certificados de novo, e alguns servidores tomam então quem chama por verificado.',
  ),
  ...forEach(
    ['certificate-chain', 'certificate-name', 'certificate-dates'],
    rule(
      rfc(9110, '4.3.4'),
      'A client that calls https verifies the chain, the name and the dates of the certificate of the server.',
      'Um cliente que chama https verifica a cadeia, o nome e as datas do certificado do servidor.',
    ),
  ),
  'certificate-without-name': rule(
    rfc(6066, '3'),
    'A client may leave the server name out. Without the same certificate, its callbacks fail.',
    'Um cliente pode omitir o nome do servidor. Sem o mesmo certificado, os callbacks dele falham.',
  ),
}

function onTheWay(source: Source): Rules {
  return forEach(
    ['slow-body', 'cut-connection', 'large-body'],
    rule(
      source,
      'Each callback is answered with success. On a network, a slow body, a cut connection and a large batch happen, and must neither be lost nor stop the callbacks behind them.',
      'Cada callback é respondido com sucesso. Em uma rede, um corpo lento, uma conexão cortada e um lote grande acontecem, e não podem se perder nem parar os callbacks seguintes.',
    ),
  )
}

const PIX_CALLBACK = 'paths, PUT /webhook/{chave}, callbacks, {$request.body#/webhookUrl}/pix'

const pixMutualTls = rule(
  pixApi(PIX_CALLBACK),
  'The callback is protected by mutual TLS. A caller without the certificate of the institution has to stay outside.',
  'O callback é protegido por TLS mútuo. Quem chama sem o certificado da instituição tem de ficar de fora.',
)

const pixAnswer = rule(
  pixApi(PIX_CALLBACK),
  '200 says that the notification was received. The specification names no other status.',
  '200 diz que a notificação foi recebida. A especificação não cita outro status.',
)

const INSTANT_PAYMENT: Rules = {
  ...GENERAL,
  ...onTheWay(pixApi(PIX_CALLBACK)),
  ...forEach(['notification', 'redirect'], pixAnswer),
  ...forEach(MUTUAL_TLS, pixMutualTls),
  ...forEach(
    ['test-event', 'test-object', 'test-empty'],
    rule(
      SILENT_1,
      'The specification has no test call. Institutions make one when you register an address, with the body {"evento":"teste_webhook"}, {} or none, and do not accept an address that fails it.',
      'A especificação não tem chamada de teste. Instituições a fazem no cadastro de um endereço, com o corpo {"evento":"teste_webhook"}, {} ou nenhum, e não aceitam um endereço que falha nela.',
    ),
  ),
  'batch-root': rule(
    FIELD,
    'The specification sends {"pix":[…]}; some institutions send the bare list.',
    'A especificação envia {"pix":[…]}; algumas instituições enviam só a lista.',
  ),
  'answer-status': pixAnswer,
  'answer-time': rule(
    pixApi(PIX_CALLBACK),
    'Each institution sets its own time limit, and the callback is meant to come while the payer waits. 60 s are judged here: ask your institution.',
    'Cada instituição define o seu limite de tempo, e o callback deve vir enquanto o pagador espera. Aqui se julgam 60 s: pergunte à sua instituição.',
  ),
  'batch-member': rule(
    pixApi(PIX_CALLBACK),
    'An institution may put several payments of one key into one callback, in the array pix.',
    'Uma instituição pode juntar vários Pix de uma chave em um callback, no array pix.',
  ),
  suffix: rule(
    pixApi('callbacks of PUT /webhook/{chave}, PUT /webhookrec and PUT /webhookcobr'),
    'The institution calls the registered webhookUrl with /pix, /rec or /cobr behind it.',
    'A instituição chama a webhookUrl cadastrada com /pix, /rec ou /cobr no fim.',
  ),
  'suffix-behind-query': rule(
    pixApi(PIX_CALLBACK),
    'The suffix follows the whole webhookUrl, so also the query of one that has a query.',
    'O sufixo segue a webhookUrl inteira, portanto também a query de uma que tem query.',
  ),
  'suffix-double-slash': rule(
    pixApi('components, examples, webhookBody1'),
    'The webhookUrl of the example ends with a slash, and /pix follows it: //pix.',
    'A webhookUrl do exemplo termina com uma barra, e /pix vem depois dela: //pix.',
  ),
}

const openFinanceMutualTls = rule(
  webhookGuide('Segurança'),
  'Every endpoint of the webhook uses mutual TLS, and nothing but the certificate protects it.',
  'Todos os endpoints do webhook usam TLS mútuo, e nada além do certificado os protege.',
)

const openFinanceAnswer = rule(
  webhookApi('components, responses, 202Webhook'),
  'The only answer of the specification is 202: the notification is accepted, and worked on later.',
  'A única resposta da especificação é 202: a notificação é aceita, e tratada depois.',
)

const openFinanceRepeats = rule(
  webhookGuide('Orientações para as Iniciadoras e Detentoras'),
  'The account holder makes at most three attempts, 10 s and 60 s behind a failed one, and none behind an answered one. A repeated notification needs the same answer, and an answered one does not come again.',
  'A detentora faz no máximo três tentativas, 10 s e 60 s depois de uma falha, e nenhuma depois de uma respondida. Uma notificação repetida precisa da mesma resposta, e uma respondida não vem de novo.',
)

const OPEN_FINANCE: Rules = {
  ...GENERAL,
  ...onTheWay(webhookApi('components, responses, 202Webhook')),
  notification: openFinanceAnswer,
  ...forEach(MUTUAL_TLS, openFinanceMutualTls),
  ...forEach(['duplicate', 'stored-before-answer'], openFinanceRepeats),
  suffix: rule(
    webhookGuide('URL'),
    'The account holder calls the registered base address with /open-banking/webhook/v1, the API, its version, the resource and its id behind it. A receiver of an API takes both of its addresses.',
    'A detentora chama o endereço base cadastrado com /open-banking/webhook/v1, a API, a versão, o recurso e o ID no fim. O receptor de uma API atende nos dois endereços dela.',
  ),
  redirect: rule(
    webhookGuide('Orientações para as Iniciadoras e Detentoras'),
    'A redirect (3XX) of the registered address is an error.',
    'Um redirecionamento (3XX) do endereço cadastrado é um erro.',
  ),
  'answer-status': openFinanceAnswer,
  'answer-time': rule(
    RESPONSE_TIMES,
    'The 95th percentile of interfaces with high frequency is 1500 ms, and the answer comes without work before it. The slowest answer is judged here.',
    'O percentil 95 das interfaces de alta frequência é 1500 ms, e a resposta vem sem processamento antes dela. Aqui se julga a resposta mais lenta.',
  ),
}

const PRESET_RULES: Readonly<Record<string, Rules>> = {
  'instant-payment': INSTANT_PAYMENT,
  'open-finance': OPEN_FINANCE,
}

const OPEN_FINANCE_FIXES: Readonly<Record<string, Fix>> = {
  notification: OPEN_FINANCE_ROUTES,
  suffix: OPEN_FINANCE_ROUTES,
  'answer-status': ACCEPTED,
  'answer-echo': ACCEPTED,
}

function forEach(ids: readonly string[], one: Rule): Rules {
  return Object.fromEntries(ids.map((id) => [id, one]))
}

/** @param preset null: no institution is named */
export function ruleOf({ id, why }: Pick<Scenario, 'id' | 'why'>, preset: string | null): Rule {
  return (preset === null ? undefined : PRESET_RULES[preset]?.[id]) ?? why
}

/** @param preset null: no institution is named */
export function fixOf({ id, fix }: Pick<Scenario, 'id' | 'fix'>, preset: string | null): Fix {
  return (preset === 'open-finance' ? OPEN_FINANCE_FIXES[id] : undefined) ?? fix
}
