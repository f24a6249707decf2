import type { Catalogue } from '../catalogue.ts'

export const DELIVERIES: Catalogue['deliveries'] = {
  title: 'Entregas',
  states: {
    pending: 'pendente',
    blocked: 'bloqueada',
    delivered: 'entregue',
    exhausted: 'falhou',
    canceled: 'cancelada',
  },
  none: 'Nenhum destino recebe este evento.',
  noneOfYours: 'Você vê apenas entregas aos seus destinos. Não há nenhuma.',
  more: (count) => `Mais ${count} não são mostradas.`,
  all: 'Todas as entregas e tentativas deste evento',
  created: 'Criada',
  ended: 'Terminada',
  next: 'Próxima tentativa',
  reason: 'Por que terminou',
  attemptsOf: (name) => `Tentativas em ${name}`,
  allAttempts: (count) => `Todas as ${count} tentativas`,
  latestOf: (shown, all) => `As últimas ${shown} de ${all} tentativas.`,
  attempt: 'Tentativa',
  started: 'Horário',
  duration: 'Duração',
  status: 'Resposta',
  noAnswer: 'sem resposta',
  answer: 'Texto da resposta',
}
