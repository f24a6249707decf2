import type { Texts } from '../../../translator.ts'

/** Help of the commands for events, consumers, deliveries, replays and the quarantine. */
export const EVENTS_HELP: Texts = {
  'Find, list, show and forward stored events': 'Procura, lista, mostra e encaminha eventos gravados',
  'List events, newest first unless --order asc': 'Lista eventos, os mais recentes primeiro, a não ser com --order asc',
  'only this kind; may be repeated (default: every kind except probe and operator)':
    'só este tipo; pode ser repetida (padrão: todos os tipos, menos probe e operator)',
  'a name under institutions (default: all)': 'um nome em institutions (padrão: todas)',
  'only this subject': 'só este assunto',
  'only this status': 'só este status',
  'only events with a delivery in this state; may be repeated':
    'só eventos com uma entrega neste estado; pode ser repetida',
  'only events with a delivery to this destination, in the state if one is given':
    'só eventos com uma entrega a este destino; no estado, se um foi informado',
  'received at this time or later, such as "2026-11-22 10:00" (local time), 2026-11-22T10:00:00Z, or an age such as 2h':
    'recebidos nesta hora ou depois, por exemplo "2026-11-22 10:00" (hora local), 2026-11-22T10:00:00Z, ou uma idade como 2h',
  'received before this time': 'recebidos antes desta hora',
  'desc: newest first; asc: oldest first': 'desc: os mais recentes primeiro; asc: os mais antigos primeiro',
  'Find payments by any value of their callbacks, newest change first: "did this payment arrive, and was it delivered?"':
    'Procura pagamentos por qualquer valor dos callbacks, a mudança mais nova primeiro: "este pagamento chegou, e foi entregue?"',
  'single events instead of payments, newest first': 'eventos um a um em vez de pagamentos, os mais novos primeiro',
  'words that an event must have: a txid, a CPF, a name, an e-mail address, 150,10, the beginning of an id':
    'palavras que um evento deve ter: um txid, um CPF, um nome, um e-mail, 150,10, o começo de um ID',
  'Show one event: its data, its caller, and its deliveries with every attempt':
    'Mostra um evento: os seus dados, o chamador e as entregas com cada tentativa',
  'the event, evt_…': 'o evento, evt_…',
  'print only the request body, byte for byte': 'imprime só o corpo da requisição, byte a byte',
  'show what proves the event: every hashed field, the hashes, the peer certificate':
    'mostra o que prova o evento: cada campo com hash, os hashes, o certificado do chamador',
  'Show new events as they arrive, until Ctrl-C': 'Mostra os novos eventos quando chegam, até Ctrl-C',
  'Forward an event again, with the same webhook-id': 'Encaminha um evento de novo, com o mesmo webhook-id',
  'why, for the log of actions (audit list); no personal data':
    'o motivo, para o registro de ações (audit list); sem dados pessoais',
  'only to this destination, even if the event has no delivery there (default: all that have one)':
    'só a este destino, mesmo que o evento não tenha entrega lá (padrão: a todos que têm uma)',
  'List, show and move consumers, which are named positions in the events':
    'Lista, mostra e move consumidores, que são posições com nome nos eventos',
  'List consumers and how many events each is behind': 'Lista os consumidores e quantos eventos faltam a cada um',
  'Show one consumer': 'Mostra um consumidor',
  'name of the consumer': 'nome do consumidor',
  'client that owns the consumer, by name or id (default: the operator)':
    'cliente a quem o consumidor pertence, por nome ou ID (padrão: o operador)',
  'Move a consumer to another position; this cancels its current lease':
    'Move um consumidor para outra posição; isso cancela a sua concessão atual',
  'start, latest, a cursor, or an event id: reading continues after it':
    'start, latest, um cursor ou o ID de um evento: a leitura continua depois dele',
  'continue with events received at this time or later, such as "2026-11-22 10:00" (local time) or 2h':
    'continua com eventos recebidos nesta hora ou depois, por exemplo "2026-11-22 10:00" (hora local) ou 2h',
  'Delete a consumer; a new one of the same name starts with the first event':
    'Exclui um consumidor; um novo com o mesmo nome começa no primeiro evento',
  'List, show, retry and skip deliveries': 'Lista, mostra, repete e pula entregas',
  'List deliveries, newest first': 'Lista entregas, as mais recentes primeiro',
  'created at this time or later, such as "2026-11-22 10:00" (local time), 2026-11-22T10:00:00Z, or an age such as 2h':
    'criadas nesta hora ou depois, por exemplo "2026-11-22 10:00" (hora local), 2026-11-22T10:00:00Z, ou uma idade como 2h',
  'created before this time': 'criadas antes desta hora',
  'only deliveries in this state': 'só entregas neste estado',
  'only deliveries to this destination': 'só entregas a este destino',
  'only deliveries of events with this subject': 'só entregas de eventos com este assunto',
  'Show one delivery with its attempts, at most the latest 500':
    'Mostra uma entrega com as suas tentativas, no máximo as últimas 500',
  'the delivery, dlv_…': 'a entrega, dlv_…',
  'Send a delivery now and restart its schedule; it may be pending, exhausted, canceled or delivered':
    'Envia uma entrega agora e recomeça a sua agenda; ela pode estar pendente, esgotada, cancelada ou entregue',
  'Cancel a delivery; the next one of its subject proceeds':
    'Cancela uma entrega; a próxima do mesmo assunto prossegue',
  'Deliver many stored events again': 'Entrega de novo muitos eventos gravados',
  'Deliver events again, with their old webhook-ids and after all new events; Ctrl-C does not stop the replay':
    'Entrega eventos de novo, com os webhook-ids antigos e depois de todos os eventos novos; Ctrl-C não interrompe o reenvio',
  'destination (its filters still apply)': 'destino (os filtros dele continuam valendo)',
  'all: every matching event; failed: those whose delivery failed; missing: those that were never delivered':
    'all: todos os eventos que correspondem; failed: os que têm uma entrega que falhou; missing: os que nunca foram entregues',
  'only this kind; may be repeated': 'só este tipo; pode ser repetida',
  'only count, change nothing': 'só conta, não altera nada',
  'do not wait until all deliveries are created': 'não espera até que todas as entregas estejam criadas',
  'print one JSON object, without progress': 'imprime um objeto JSON, sem o andamento',
  'List replays, oldest first': 'Lista os reenvios, os mais antigos primeiro',
  'only replays in this state': 'só reenvios neste estado',
  'Show one replay and its progress': 'Mostra um reenvio e o seu andamento',
  'the replay, rpl_…': 'o reenvio, rpl_…',
  'Cancel a replay and withdraw its pending deliveries': 'Cancela um reenvio e retira as suas entregas pendentes',
  'List facts about accounts that are not your own, and release or discard them':
    'Lista fatos sobre contas que não são suas, e os libera ou descarta',
  'List facts in quarantine, newest first': 'Lista os fatos em quarentena, os mais recentes primeiro',
  'only facts in this state': 'só fatos neste estado',
  'only facts that are held for this reason': 'só fatos retidos por este motivo',
  'Show one fact: its data and its caller': 'Mostra um fato: os seus dados e o chamador',
  'the fact, qtn_…': 'o fato, qtn_…',
  'Turn a fact into an event, which is forwarded and polled like a new one':
    'Transforma um fato em evento, que é encaminhado e consultado como um novo',
  'one or more facts, qtn_…; stops at the first error': 'um ou mais fatos, qtn_…; para no primeiro erro',
  'Decide that a fact never becomes an event; it can still be shown':
    'Decide que um fato nunca se torna um evento; ele ainda pode ser mostrado',
}
