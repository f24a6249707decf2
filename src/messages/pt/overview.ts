import type { AlarmFailureCode } from '../../domain/alarms/failure.ts'
import { DETAIL_CODES, type DetailTexts, type ReasonCode, type ReasonText } from '../../domain/overview/reasons.ts'
import type { Catalogue } from '../catalogue.ts'
import { FAILURES } from './alarm-failures.ts'

export const REASONS: Readonly<Record<ReasonCode, ReasonText>> = {
  not_ready: {
    text: 'os callbacks não são aceitos: {detail}',
    nextStep: 'execute a verificação, que diz a causa; o gateway se recupera sozinho quando ela acaba',
  },
  callbacks_failing: {
    text: 'callbacks dos últimos 5 minutos não gravados, respondidos com 503: {count}[; o primeiro é reenviado até cerca de {until}: depois disso, considere-o perdido]',
    nextStep:
      'o operador encontra a causa no log (callback.failed); o serviço repete esses callbacks por um tempo limitado',
  },
  callbacks_refused: {
    text: 'callbacks de chamadores identificados recusados nas últimas 24 horas: {count}, {subject} ({detail})[; o primeiro é reenviado até cerca de {until}: depois disso, considere-o perdido]',
    nextStep:
      'eles se perdem se o serviço desistir: a verificação diz o que fazer; este aviso termina um dia depois do último',
  },
  outage_lost: {
    text: 'o serviço desistiu de callbacks enviados pela primeira vez em {detail}',
    nextStep: 'pergunte ao serviço, na página das lacunas, o que eles diziam',
  },
  outage: {
    text: 'callbacks não foram aceitos: {detail}[; o serviço os reenvia até cerca de {until}]',
    nextStep: 'a página das lacunas pergunta ao serviço o que mudou nesse tempo',
  },
  kind_silent: {
    text: 'nenhum callback do tipo {subject} chegou há {span}',
    nextStep:
      'veja se chamadores foram recusados e depois execute a verificação; o operador testa de fora o endereço cadastrado',
  },
  kind_never: {
    text: 'nenhum callback do tipo {subject} chegou até hoje',
    nextStep: 'cadastre o endereço no serviço; o operador o testa de fora ou remove alertAfter do tipo',
  },
  acknowledge_slow: {
    text: 'a confirmação dos callbacks está lenta: 1 em cada 100 levou mais de {span}',
    nextStep: 'o operador da máquina procura um disco lento',
  },
  clock_implausible: {
    text: 'o relógio não é plausível',
    nextStep:
      'o operador da máquina acerta o relógio; se ele está certo, o operador o confirma na página da verificação; até lá nada é removido nem vence por idade',
  },
  writer_silent: {
    text: 'o banco de dados não confirma uma gravação há {span}',
    nextStep: 'o operador da máquina procura um disco com defeito; sob systemd o gateway reinicia depois de 40 s',
  },
  store_unreadable: {
    text: 'não é possível ler o banco de dados, por isso as filas são desconhecidas',
    nextStep: 'o operador encontra a causa no log (metrics.incomplete)',
  },
  nodes_unheard: {
    text: 'há {span} este nó não recebe avisos do que outros nós mudam, e só consulta o banco de dados duas vezes por segundo: {detail}',
    nextStep: 'o operador verifica o PostgreSQL e o caminho até ele: cada nó precisa de uma conexão própria que escuta',
  },
  space_out: {
    text: 'o disco está quase cheio: novos callbacks recebem 503',
    nextStep: 'o operador da máquina libera espaço agora; o que já foi gravado continua sendo entregue',
  },
  space_short: {
    text: 'o disco está enchendo: recusas e respostas dos destinos não são mais registradas',
    nextStep: 'o operador da máquina libera espaço ou diminui storage.retention',
  },
  certificate_expired: {
    text: 'o certificado {subject} venceu',
    nextStep: 'o operador ou o dono o substitui agora',
  },
  certificate_expiring: {
    text: 'o certificado {subject} vence em breve; dias restantes: {count}',
    nextStep: 'o operador ou o dono o renova',
  },
  certificate_unreadable: {
    text: 'não é possível ler o arquivo de certificado {subject}, por isso a validade é desconhecida',
    nextStep:
      'o operador da máquina vê o motivo na lista de certificados; o certificado em uso continua em uso até um reinício',
  },
  trust_closed: {
    text: 'chamadores de {subject} são recusados: um arquivo da cadeia não pode ser usado: {detail}',
    nextStep: 'o operador da máquina corrige o arquivo; o gateway passa a usá-lo sozinho',
  },
  files_not_renewed: {
    text: '{subject}: não foi possível renovar: {detail}',
    nextStep: 'o operador da máquina corrige o arquivo: até lá o que está em uso continua em uso',
  },
  configuration_not_reloaded: {
    text: 'o arquivo de configuração não pôde entrar em uso: {detail}',
    nextStep: 'o operador da máquina corrige o arquivo e o recarrega; até lá o anterior continua em uso',
  },
  configuration_needs_restart: {
    text: 'chaves do arquivo de configuração esperam um reinício: {detail}',
    nextStep: 'o operador da máquina reinicia o gateway',
  },
  backlog_old: {
    text: 'entregas para o destino {subject} esperam há {span}',
    nextStep: 'a página do destino mostra a última falha e o retoma se estiver pausado',
  },
  circuit_open: {
    text: 'o destino {subject} continua falhando: o gateway tenta de tempos em tempos',
    nextStep: 'a página do destino mostra as últimas respostas; as entregas voltam assim que ele aceitar uma',
  },
  destination_paused: {
    text: 'o destino {subject} está pausado: as entregas esperam',
    nextStep: 'retome-o na página do destino quando o receptor estiver pronto',
  },
  subjects_held: {
    text: 'assuntos do destino {subject} que uma entrega sem sucesso retém: {count}',
    nextStep: 'repita ou pule a entrega na página do destino',
  },
  consumer_behind: {
    text: 'o consumidor {subject} está {span} atrasado',
    nextStep: 'inicie o aplicativo; se nenhum aplicativo o usa mais, exclua o consumidor na página dele',
  },
  quarantine_waiting: {
    text: 'fatos em quarentena à espera de uma decisão: {count}',
    nextStep: 'libere ou descarte',
  },
  service_failing: {
    text: 'as chamadas à interface {subject} do serviço falham',
    nextStep: 'a verificação diz o motivo; os callbacks continuam sendo recebidos e encaminhados',
  },
  tokens_waiting: {
    text: 'tokens de cobrança de {subject} esperam seus itens há {span}',
    nextStep: 'a verificação diz o motivo',
  },
  tokens_many: {
    text: 'tokens de cobrança de {subject} à espera: {count}, muito mais do que o normal',
    nextStep:
      'se a verificação mostra que o serviço responde, alguém envia tokens que ele não conhece: o operador troca o token do caminho do listener de cobranças (chargeNotifications.tokens) ou limita chargeNotifications.allowedAddresses',
  },
  alarm_failing: {
    text: 'não é possível enviar alarmes pelo canal {subject}: {detail}',
    nextStep:
      'a página dos alarmes diz o próximo passo e testa o canal; o que ainda não foi enviado é tentado de novo por um dia',
  },
  search_behind: {
    text: 'a busca está {span} atrasada: ainda não encontra eventos mais novos',
    nextStep: 'aguarde; se o atraso não diminuir, o operador procura eventos search no log',
  },
}

const CHECKS: Readonly<Record<string, string>> = {
  listener: 'os listeners não estão abertos',
  writer: 'o banco de dados não grava',
  migrations: 'o banco de dados ainda não tem o esquema deste programa',
}

const DETAILS = Object.fromEntries(
  DETAIL_CODES.map((code) => [code, CHECKS[code] ?? FAILURES[code as AlarmFailureCode].text]),
) as DetailTexts

export const OVERVIEW: Catalogue['overview'] = {
  title: 'Visão geral',
  light: 'Situação',
  lights: {
    green: 'Verde: tudo certo',
    yellow: 'Amarelo: verifique nos próximos dias',
    red: 'Vermelho: aja agora',
  },
  severities: { problem: 'problema', warning: 'aviso' },
  noReasons: 'Nada precisa de atenção.',
  environments: { production: 'produção' },
  others: 'e mais {count} com o mesmo motivo',
  reasons: REASONS,
  details: DETAILS,
  places: {
    check: 'Executar a verificação',
    clock: 'Confirmar o relógio',
    reconcile: 'Perguntar ao serviço',
    alarms: 'Testar o canal',
    refusals: 'Chamadores recusados',
    gaps: 'O que faltou',
    certificates: 'Certificados',
    destination: 'Abrir o destino',
    resume: 'Retomar o destino',
    held: 'Entregas que falharam',
    consumer: 'Abrir o consumidor',
    quarantine: 'Liberar ou descartar',
    newDestination: 'Criar um destino',
    newClient: 'Criar um cliente',
  },
  live: 'Os números acompanham o gateway.',
  lost: 'A conexão com o gateway caiu: estes números são antigos. Nova tentativa em andamento.',
  callbacks: 'Callbacks por minuto',
  callbacksPlot: 'Gráfico dos callbacks aceitos por minuto e tipo na última hora. A tabela abaixo traz os números.',
  plotKeys: 'As setas levam de minuto a minuto.',
  fewPoints: 'Há no máximo um valor até agora: o gráfico começa com o segundo.',
  numbers: 'Números de cada minuto',
  minute: 'Minuto',
  callbacksSince: 'Callbacks aceitos desde o início do gateway, no máximo da última hora.',
  kind: 'Tipo',
  thisMinute: 'Este minuto',
  lastMinute: 'Último minuto',
  fiveMinutes: '5 minutos',
  hour: 'Hora',
  noCallbacks: 'Nenhum tipo está configurado.',
  waiting: 'Entregas pendentes',
  waitingText: 'O maior número de cada minuto, de todos os destinos.',
  waitingPlot: 'Gráfico das entregas pendentes, por minuto na última hora.',
  latency: 'Tempo de confirmação',
  latencyPlot: 'Gráfico do tempo em que 99 de cada 100 callbacks foram confirmados, por minuto na última hora.',
  latencyText: 'Do fim de um callback até o seu 200, nos últimos 5 minutos.',
  p50: 'Metade dos callbacks em até',
  p99: '99 de cada 100 em até',
  noLatency: 'nenhum callback chegou',
  destinations: 'Destinos',
  destination: 'Destino',
  owner: 'Dono',
  state: 'Situação',
  states: { active: 'ativo', paused: 'pausado' },
  circuit: 'Circuito',
  circuits: { closed: 'fechado', open: 'aberto' },
  pending: 'Pendentes',
  blocked: 'Bloqueadas',
  oldest: 'Mais antiga',
  noDestinations: 'Não há destinos.',
  moreDestinations: 'Há mais {count}, com entregas pendentes mais novas ou nenhuma.',
  silentKinds: 'Tipos em silêncio',
  silentSince: 'Último callback',
  never: 'nunca',
  noSilentKinds: 'Nenhum tipo está em silêncio por mais tempo que o seu alertAfter.',
  certificates: 'Certificados',
  certificate: 'Certificado',
  set: 'Conjunto',
  environment: 'Ambiente',
  daysLeft: 'Dias restantes',
  unreadable: 'não pode ser lido',
  noCertificates: 'Nenhum certificado é conhecido ainda.',
  moreCertificates: 'Há mais {count}, que vencem depois.',
  storage: 'Armazenamento e busca',
  freeSpace: 'Espaço livre',
  minFreeSpace: 'O gateway poupa espaço abaixo de',
  unknown: 'desconhecido',
  search: 'Busca',
  searchCurrent: 'encontra todos os eventos',
  searchBehind: 'atrasada {span}; eventos que faltam: {count}',
  searchRebuilding: 'está sendo refeita; eventos que faltam: {count}',
}
