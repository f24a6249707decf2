import type { ReasonCode } from '../../src/domain/overview/reasons.ts'
import type { InBoth } from './refusals.ts'

interface ReasonWords {
  /** The usual one. */
  readonly severity: 'problem' | 'warning'
  readonly meaning: InBoth
}

/** The reasons of the overview, which are findings of `portaria check`, too. */
export const REASON_WORDS: Readonly<Record<ReasonCode, ReasonWords>> = {
  not_ready: {
    severity: 'problem',
    meaning: [
      'A check of `/readyz` fails: listener, writer or migrations.',
      'Uma verificação de `/readyz` falha: listener, thread de gravação ou migrações.',
    ],
  },
  callbacks_failing: {
    severity: 'problem',
    meaning: [
      'Callbacks of the last 5 minutes could not be stored.',
      'Callbacks dos últimos 5 minutos não puderam ser gravados.',
    ],
  },
  callbacks_refused: {
    severity: 'problem',
    meaning: [
      'A callback was [refused](monitoring/README.md#refused-callbacks) in the last 24 hours.',
      'Um callback foi [recusado](../monitoring/README.md#refused-callbacks) nas últimas 24 horas.',
    ],
  },
  outage_lost: {
    severity: 'problem',
    meaning: [
      'The service gave up callbacks of an [outage](checks-and-alarms.md#after-an-outage), and was not asked since.',
      'O serviço desistiu de callbacks de uma [interrupção](checks-and-alarms.md#depois-de-uma-interrupção), e não foi consultado desde então.',
    ],
  },
  outage: {
    severity: 'warning',
    meaning: [
      'There was an outage, and the service may still send something of it again.',
      'Houve uma interrupção, e o serviço ainda pode reenviar algo dela.',
    ],
  },
  kind_silent: {
    severity: 'problem',
    meaning: [
      'No callback of the kind has come for longer than its `alertAfter`.',
      'Nenhum callback do tipo há mais tempo que o seu `alertAfter`.',
    ],
  },
  kind_never: {
    severity: 'problem',
    meaning: [
      'No callback of the kind has ever come, for longer than its `alertAfter`.',
      'Nenhum callback do tipo chegou até hoje, há mais tempo que o seu `alertAfter`.',
    ],
  },
  acknowledge_slow: {
    severity: 'warning',
    meaning: [
      '1 of 100 callbacks of the last 5 minutes took more than 1 s until its 200.',
      '1 em cada 100 callbacks dos últimos 5 minutos levou mais de 1 s até o seu 200.',
    ],
  },
  clock_implausible: {
    severity: 'problem',
    meaning: [
      'The clock is far ahead of everything on record.',
      'O relógio está muito à frente de tudo o que está registrado.',
    ],
  },
  writer_silent: {
    severity: 'problem',
    meaning: [
      'No answer of the writer for 20 s while work waits for it.',
      'Nenhuma resposta da thread de gravação há 20 s enquanto há trabalho à espera dela.',
    ],
  },
  store_unreadable: {
    severity: 'warning',
    meaning: [
      'The database could not be read for the overview.',
      'Não foi possível ler o banco de dados para a visão geral.',
    ],
  },
  nodes_unheard: {
    severity: 'warning',
    meaning: [
      'For 10 s, a node has not heard changes of others: it looks for them.',
      'Há 10 s, um nó não recebe avisos das mudanças dos outros: ele as procura.',
    ],
  },
  space_out: {
    severity: 'problem',
    meaning: [
      'Callbacks are answered 503 for lack of space.',
      'Callbacks são respondidos com 503 por falta de espaço.',
    ],
  },
  space_short: {
    severity: 'warning',
    meaning: [
      'Refusals or answers of destinations are not recorded for lack of space.',
      'Recusas ou respostas de destinos não são registradas por falta de espaço.',
    ],
  },
  certificate_expired: {
    severity: 'problem',
    meaning: [
      'A certificate in use, of a caller or of a destination has expired.',
      'Um certificado em uso, de um chamador ou de um destino venceu.',
    ],
  },
  certificate_expiring: {
    severity: 'warning',
    meaning: [
      'A certificate expires soon for its lifetime; very soon a problem ([the rule](certificates.md#expiry-warnings)).',
      'Um certificado vence em breve para a sua validade; muito em breve, um problema ([a regra](certificates.md#avisos-de-vencimento)).',
    ],
  },
  certificate_unreadable: {
    severity: 'warning',
    meaning: ['A certificate file cannot be read.', 'Um arquivo de certificado não pode ser lido.'],
  },
  trust_closed: {
    severity: 'problem',
    meaning: [
      "Callers of an institution's environment are refused: a file of their chain, or of its revocation lists, cannot be used, and never could be since the start.",
      'Chamadores do ambiente de uma instituição são recusados: um arquivo da cadeia ou das listas de revogação não pode ser usado desde o início.',
    ],
  },
  files_not_renewed: {
    severity: 'warning',
    meaning: [
      'A changed certificate, chain, revocation list or secret cannot be used; the earlier one stays in use until a restart.',
      'Um certificado, uma cadeia, uma lista de revogação ou um segredo alterado não pode ser usado; o anterior continua em uso até um reinício.',
    ],
  },
  configuration_not_reloaded: {
    severity: 'warning',
    meaning: [
      'The last reload found mistakes in the configuration file and took nothing up.',
      'A última recarga encontrou erros no arquivo de configuração e nada passou a valer.',
    ],
  },
  configuration_needs_restart: {
    severity: 'warning',
    meaning: [
      'Changed keys of the configuration file take effect only after a restart.',
      'Chaves alteradas do arquivo de configuração só valem depois de um reinício.',
    ],
  },
  backlog_old: {
    severity: 'warning',
    meaning: [
      'Deliveries to an active destination have waited for more than 15 minutes; a problem where it takes nothing, and after a day for any.',
      'Entregas a um destino ativo esperam há mais de 15 minutos; um problema se ele não aceita nenhuma, e depois de um dia em qualquer caso.',
    ],
  },
  circuit_open: {
    severity: 'warning',
    meaning: [
      'The circuit of a destination is open; a problem once it took nothing for 15 minutes while something waits.',
      'O circuito de um destino está aberto; um problema se ele não aceitou nada por 15 minutos enquanto algo espera.',
    ],
  },
  destination_paused: { severity: 'warning', meaning: ['A destination is paused.', 'Um destino está pausado.'] },
  subjects_held: {
    severity: 'warning',
    meaning: [
      'Exhausted deliveries hold subjects of a destination.',
      'Entregas esgotadas retêm assuntos de um destino.',
    ],
  },
  consumer_behind: {
    severity: 'warning',
    meaning: ['A consumer is more than an hour behind.', 'Um consumidor está mais de uma hora atrasado.'],
  },
  quarantine_waiting: {
    severity: 'warning',
    meaning: ['Facts in quarantine wait for a decision.', 'Fatos em quarentena esperam uma decisão.'],
  },
  service_failing: {
    severity: 'warning',
    meaning: [
      'The last call of an interface of the service failed.',
      'A última chamada a uma interface do serviço falhou.',
    ],
  },
  tokens_waiting: {
    severity: 'warning',
    meaning: [
      'Charge tokens have waited for their entries for more than an hour.',
      'Tokens de cobrança esperam os seus itens há mais de uma hora.',
    ],
  },
  tokens_many: {
    severity: 'warning',
    meaning: [
      'More than 1,000 charge tokens wait: the service fails, or somebody sends unknown ones.',
      'Mais de 1.000 tokens de cobrança esperam: o serviço falha, ou alguém envia tokens desconhecidos.',
    ],
  },
  search_behind: {
    severity: 'warning',
    meaning: [
      'The search index is more than a minute behind, and is not being made again.',
      'O índice da busca está mais de um minuto atrasado, e não está sendo refeito.',
    ],
  },
  alarm_failing: {
    severity: 'warning',
    meaning: [
      'A channel of [alarms](checks-and-alarms.md#alarms) could not send its last message.',
      'Um canal de [alarmes](checks-and-alarms.md#alarmes) não conseguiu enviar a sua última mensagem.',
    ],
  },
}
