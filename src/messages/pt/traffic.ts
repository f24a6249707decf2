import type { Catalogue } from '../catalogue.ts'

export const TRAFFIC: Catalogue['traffic'] = {
  title: 'Tráfego',
  intro:
    'Somas por hora desde a instalação do gateway, no máximo de 400 dias. Verde: aceitos ou entregues. Vermelho: falhas.',
  spans: { day: 'Dia', week: 'Semana', quarter: '13 semanas', year: 'Ano' },
  span: 'Período',
  callbacks: 'Callbacks',
  attempts: 'Tentativas de entrega',
  noCallbacks: 'Nenhum callback chegou neste período.',
  noAttempts: 'Nada foi enviado neste período.',
  sum: (good, bad) => `aceitos: ${good}, com falha: ${bad}`,
  attemptSum: (good, bad) => `entregues: ${good}, com falha: ${bad}`,
  highest: (count) => `barra mais alta: ${count}`,
  per: { day: 'por hora', week: 'por dia', quarter: 'por semana', year: 'por semana' },
  numbers: 'Números',
  from: 'De',
  accepted: 'Aceitos',
  delivered: 'Entregues',
  failed: 'Falhas',
  more: 'Mais',
  all: 'Todos',
}
