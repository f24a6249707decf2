import type { Catalogue } from '../catalogue.ts'

export const REPLAYS: Catalogue['replays'] = {
  title: 'Reenvios',
  intro: 'Muitos eventos passados que são entregues de novo, o reenvio mais recente primeiro.',
  none: 'Não há reenvios.',
  id: 'Reenvio',
  destination: 'Destino',
  mode: 'Quais eventos',
  modes: {
    missing: 'nunca entregues, também os que falharam',
    failed: 'com uma entrega esgotada ou cancelada',
    all: 'todos os que correspondem',
  },
  state: 'Estado',
  running: 'Em curso',
  toSend: 'Ainda não enviados',
  failed: 'Falharam',
  time: 'De – a',
  sending: 'enviando',
  states: { running: 'em andamento', done: 'concluído', canceled: 'cancelado', failed: 'falhou' },
  progress: 'Progresso',
  progressOf: (delivered, matched) => `${delivered} de ${matched}`,
  matched: 'Eventos correspondentes na contagem',
  alsoWaited: 'Deixados de fora, porque as entregas ainda esperavam',
  created: 'Entregas criadas até agora',
  askedBy: 'Pedido por',
  operator: 'o operador',
  createdAt: 'Criado em',
  endedAt: 'Terminado em',
  why: 'Por que falhou',
  filter: 'Filtro',
  kinds: 'Tipos',
  kindsHint: 'Nenhum: todos os tipos do destino',
  environment: 'Ambiente',
  anyEnvironment: 'todos os ambientes do destino',
  subject: 'Assunto',
  status: 'Status',
  anyStatus: 'todos os status',
  otherStatus: 'Outro status',
  otherStatusHint: 'Como o serviço o escreve',
  from: 'Recebidos desde',
  to: 'Recebidos antes de',
  again: 'Enviar de novo',
  selected: 'Eventos escolhidos',
  selectedEvents: (count) => (count === 1 ? '1 evento foi escolhido.' : `${count} eventos foram escolhidos.`),
  selectedNewest: (count) => `O filtro tem mais eventos: os ${count} mais novos foram escolhidos.`,
  noneSelected: 'Nenhum evento foi escolhido. Nada foi enviado.',
  reasonMissing: 'É preciso um motivo. Nada foi enviado.',
  backToSearch: 'Voltar à busca',
  one: (id) => `Reenvio ${id}`,
  create: 'Novo reenvio',
  chooseDestination: 'Escolha um destino',
  destinationHint: 'O nome ou o ID.',
  count: 'Contar os eventos',
  counted: (count, destination) =>
    count === 1
      ? `1 evento seria entregue de novo a ${destination}. Nada foi enviado ainda.`
      : `${count} eventos seriam entregues de novo a ${destination}. Nada foi enviado ainda.`,
  leftOut: (count) =>
    count === 1
      ? 'Deixaria 1 evento de fora: a entrega dele ainda espera, ou uma tentativa está sendo registrada.'
      : `Deixaria ${count} eventos de fora: as entregas deles ainda esperam, ou uma tentativa está sendo registrada.`,
  nothingToDo: 'Não há nada a entregar: nenhum evento corresponde, ou as entregas dos que correspondem ainda esperam.',
  startAgain: 'Enviar de novo',
  onlyMissing: (count) => (count === 1 ? 'só o 1 que ele não tem' : `só os ${count} que ele não tem`),
  alsoDelivered: (count, had) => `todos os ${count}, também ${had} que ele já tem`,
  hasAll: (count) => (count === 1 ? 'O destino já o tem.' : 'O destino já tem todos.'),
  otherDestination: 'Escolher outro destino',
  hadEvents: (name, count, all) => `${name}: teve ${count} de ${all}`,
  sentEach: ({ sent, waiting, refused }) =>
    [
      sent === 1 ? '1 evento é enviado de novo.' : `${sent} eventos são enviados de novo.`,
      waiting > 0 ? `Ainda esperavam: ${waiting}.` : '',
      refused > 0
        ? `Não enviados: ${refused}. O destino não tem entrega deles, ou os dados deles foram removidos.`
        : '',
    ]
      .filter((text) => text !== '')
      .join(' '),
  start: 'Iniciar o reenvio',
  started: (id) => `${id} foi iniciado. As entregas dele têm prioridade menor que eventos novos.`,
  change: 'Alterar a seleção',
  cancel: 'Cancelar',
  cancelHint: 'As entregas pendentes são retiradas. O que foi enviado continua enviado.',
  canceled: (id, underWay) =>
    `${id} foi cancelado.${underWay === 0 ? '' : ` Tentativas em andamento, que ainda podem chegar: ${underWay}.`}`,
  deliveries: 'Entregas do destino',
  reload: 'Recarregar',
}
