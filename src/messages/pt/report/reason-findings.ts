import { REASON_CODES, REASON_TEXTS, type ReasonCode } from '../../../domain/overview/reasons.ts'
import { COMMAND } from '../../../platform/installation.ts'
import { REASONS } from '../overview.ts'
import type { Sentence } from './sentence.ts'

/** What a finding means, and what a person without a shell can do: for all findings of its code. */
export interface FindingWords {
  readonly found: string
  readonly nextStep: string
}

/** Of the reasons of the overview. Those that the check finds by itself too are in FINDINGS. */
const FOUND = {
  callbacks_failing: 'Callbacks dos últimos 5 minutos não foram gravados.',
  outage_lost: 'O serviço desistiu de callbacks que não foram aceitos.',
  kind_silent: 'Nenhum callback de um tipo chega há mais tempo do que o esperado.',
  kind_never: 'Nenhum callback de um tipo chegou até hoje.',
  acknowledge_slow: 'A confirmação dos callbacks está lenta.',
  writer_silent: 'O banco de dados não confirma gravações.',
  store_unreadable: 'O gateway não consegue ler o banco de dados.',
  nodes_unheard: 'Um nó não recebe os avisos dos outros nós.',
  certificate_expired: 'Um certificado venceu.',
  certificate_expiring: 'Um certificado vence em breve.',
  certificate_unreadable: 'Um arquivo de certificado não pode ser lido.',
  trust_closed: 'Chamadores são recusados porque um arquivo da cadeia não pode ser usado.',
  files_not_renewed: 'Um arquivo alterado não pode ser usado; o anterior continua em uso.',
  configuration_not_reloaded: 'O arquivo de configuração não pôde entrar em uso.',
  configuration_needs_restart: 'Chaves alteradas do arquivo de configuração esperam um reinício.',
  backlog_old: 'Entregas para um destino esperam há muito tempo.',
  circuit_open: 'Um destino continua falhando.',
  subjects_held: 'Assuntos de um destino estão retidos por uma entrega que terminou sem sucesso.',
  consumer_behind: 'Um consumidor está atrasado.',
  quarantine_waiting: 'Fatos em quarentena esperam uma decisão.',
  service_failing: 'As chamadas a uma interface do serviço falham.',
  tokens_waiting: 'Tokens de cobrança esperam seus itens.',
  alarm_failing: 'Não é possível enviar alarmes por um canal.',
} as const satisfies Partial<Record<ReasonCode, string>>

/** Where the step on the overview names the check. */
const STEPS: Partial<Record<ReasonCode, string>> = {
  kind_silent: 'Veja se chamadores foram recusados; o operador testa de fora o endereço cadastrado no serviço.',
  service_failing: 'Os resultados do serviço dizem o motivo; os callbacks continuam sendo recebidos e encaminhados.',
  tokens_waiting: 'Os resultados do serviço dizem o motivo.',
}

export const REASON_FINDINGS: Readonly<Record<string, FindingWords>> = Object.fromEntries(
  (Object.keys(FOUND) as (keyof typeof FOUND)[]).map((code) => [
    code,
    { found: FOUND[code], nextStep: STEPS[code] ?? sentenceOf(REASONS[code].nextStep) },
  ]),
)

function sentenceOf(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
}

/** The next steps of a person at the machine. */
const NEXT_STEPS: Readonly<Record<ReasonCode, string>> = {
  not_ready: `execute "${COMMAND} check" na máquina do gateway; o gateway se recupera sozinho quando a causa acaba`,
  callbacks_refused: `eles se perdem se o serviço desistir: "${COMMAND} check" diz o que fazer; isto termina um dia depois do último`,
  clock_implausible: `acerte o relógio ou, se ele está certo, execute "${COMMAND} storage confirm-clock"; até lá nada é removido nem vence por idade`,
  nodes_unheard:
    'verifique o banco de dados e o caminho até ele: cada nó precisa de uma conexão própria que escuta (docs/pt/several-nodes.md)',
  space_out: 'libere espaço agora; o que já foi gravado continua sendo entregue',
  space_short: 'libere espaço ou diminua storage.retention',
  tokens_many: `se o serviço responde ("${COMMAND} service status"), alguém envia tokens que ele não conhece: troque o token do caminho do listener de cobranças (chargeNotifications.tokens) ou limite chargeNotifications.allowedAddresses`,
  callbacks_failing: 'o log diz o motivo (callback.failed); o serviço os repete por um tempo limitado',
  outage_lost: `pergunte ao serviço o que eles diziam: "${COMMAND} service reconcile"`,
  outage: `"${COMMAND} service reconcile" pergunta ao serviço o que mudou nesse tempo`,
  kind_silent: `veja os chamadores recusados ("${COMMAND} refusals list") e depois teste o endereço cadastrado ("${COMMAND} probe")`,
  kind_never: `cadastre o endereço no serviço e teste-o ("${COMMAND} probe"), ou remova alertAfter do tipo`,
  acknowledge_slow: 'procure um disco lento: iostat e portaria_commit_seconds nas métricas',
  writer_silent: 'verifique o disco (dmesg, iostat); sob systemd o gateway reinicia depois de 40 s',
  store_unreadable: 'o log diz o motivo (metrics.incomplete)',
  certificate_expired: `substitua-o agora; "${COMMAND} certs check" diz o arquivo ou o dono`,
  certificate_expiring: `renove-o; "${COMMAND} certs check" diz o arquivo ou o dono`,
  certificate_unreadable: `"${COMMAND} certs check" diz o motivo; até lá o que está em uso continua em uso`,
  trust_closed: `corrija o arquivo; o gateway passa a usá-lo sozinho. "${COMMAND} certs trust list" mostra quais cadeias estão em uso`,
  files_not_renewed: 'corrija o arquivo: até lá o que está em uso continua em uso',
  configuration_not_reloaded: `corrija o arquivo e depois execute "${COMMAND} reload"; até lá o anterior continua em uso, e o gateway não iniciaria`,
  configuration_needs_restart: 'reinicie o gateway, ou escreva de novo os valores anteriores e recarregue',
  backlog_old: `"${COMMAND} destinations show NAME" mostra a última falha; retome um destino pausado`,
  circuit_open: `veja as últimas respostas dele ("${COMMAND} deliveries list --state pending"); as entregas continuam assim que ele aceitar uma`,
  destination_paused: `retome-o quando o receptor estiver pronto ("${COMMAND} destinations resume NAME")`,
  subjects_held: `repita-a ou pule-a: "${COMMAND} deliveries list --state exhausted"`,
  consumer_behind: `inicie o aplicativo dele; se nenhum aplicativo o usa mais, "${COMMAND} consumers delete NAME"`,
  quarantine_waiting: `libere-os ou descarte-os: "${COMMAND} quarantine list"`,
  service_failing: `"${COMMAND} service status" diz o motivo; os callbacks continuam sendo recebidos e encaminhados`,
  tokens_waiting: `"${COMMAND} service status" diz o motivo`,
  search_behind: 'aguarde; se o atraso não diminuir, procure eventos search no log',
  alarm_failing:
    'corrija o canal na seção alarms da configuração; o que ainda não foi enviado é tentado de novo por um dia',
}

/** What is in brackets is left out where no time is known. */
const forms = (text: string) => [text.replace(/\[.*\]/, ''), text.replace(/\[(.*)\]/, '$1')]

/** The texts of the overview, which the check repeats. */
export const REASON_SENTENCES: readonly Sentence[] = REASON_CODES.flatMap((code): Sentence[] => {
  const { text, nextStep } = REASON_TEXTS[code]
  const own = forms(REASONS[code].text)
  return [
    // The whole text is a value.
    ...(code === 'clock_implausible' ? [] : forms(text).map((english, at): Sentence => [english, own[at] ?? ''])),
    [nextStep, NEXT_STEPS[code]],
  ]
})
