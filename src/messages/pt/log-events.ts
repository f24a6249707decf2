import type { LogEventName, LogEventWords } from '../en/log-events.ts'

export const LOG_EVENTS: Readonly<Record<LogEventName, LogEventWords>> = {
  'action.outcome_lost': {
    fields: '`action`, `endpoint`, `error`',
    meaning: 'O registro de ações não pôde gravar que uma ação falhou.',
  },
  'alarm.failed': {
    fields: '`channel`, `error`, `began`, `ended`, `goingOn`, `isTest`, `nextTryAt`',
    meaning: 'Um canal não aceitou uma mensagem.',
    action: 'Corrija o canal; a mensagem é tentada de novo.',
  },
  'alarm.given_up': {
    fields: '`channel`, `alarms`, `hint`',
    meaning: 'Uma mensagem a um canal falhou por um dia: estes alarmes não são mais enviados.',
  },
  'alarm.heartbeat_failed': {
    fields: '`error`',
    meaning: 'O endereço de `heartbeat` não respondeu 2xx. Entra no log uma vez, até responder.',
  },
  'alarm.sent': {
    fields: '`channel`, `began`, `ended`, `goingOn`, `isTest`',
    meaning: 'Um canal aceitou uma mensagem, com estes códigos e assuntos.',
  },
  'answer.broken': {
    fields: '`requestId`, `method`, `path`, `error`',
    meaning:
      'Um arquivo das páginas não pôde ser gerado até o fim: a conexão foi fechada, para que o navegador não o tome por completo.',
  },
  'answer.cut': {
    fields: '`reader`, `bytes`, `leftOut`',
    meaning:
      'Um cliente não leu as respostas, ou nada de uma delas por 30 s: a conexão foi fechada. No máximo 10 linhas por minuto.',
  },
  'api.failed': {
    fields: '`requestId`, `method`, `path`, `error`, `stack`',
    meaning: 'Uma requisição foi respondida com 500, ou a conexão foi fechada no meio da resposta.',
    action: 'Relate como defeito do programa, com `stack`.',
  },
  'authority.not_renewed': {
    fields: '`problem`, `hint`',
    meaning: 'A autoridade própria não conseguiu renovar um arquivo.',
    action: 'Corrija o que `problem` indica.',
  },
  'authority.renewed': {
    fields: '`what`, `until`',
    meaning: 'A autoridade própria renovou este arquivo.',
    action: 'Envie o novo ao dono de um pedido assinado.',
  },
  'background.failed': {
    fields: '`task`, `error`, `stack`, `hint`',
    meaning: 'Uma tarefa em segundo plano falhou. Cada motivo entra no log uma vez.',
  },
  'background.recovered': { fields: '`task`', meaning: 'Uma tarefa em segundo plano que falhava voltou a dar certo.' },
  'callback.address_tested': {
    fields: '`kind`, `institution`, `environment`, `remoteAddress`',
    meaning:
      'Uma instituição com `answer.validation: get` testou com um GET o endereço deste tipo; a resposta foi 200.',
  },
  'callback.alert_failed': {
    fields: '`environment`, `code`, `error`',
    meaning: 'O evento sobre um callback recusado não pôde ser gravado.',
  },
  'callback.answered_late': {
    fields: '`kind`, `institution`, `environment`, `durationMs`, `withinMs`',
    meaning: 'Respondido depois de `limits.answerWithin` da instituição.',
  },
  'callback.failed': {
    fields: '`error`, `stack`',
    meaning: 'Um erro inesperado, respondido com 503.',
    action: 'Relate como defeito do programa, com `stack`.',
  },
  'callback.not_stored': {
    fields: '`kind`, `listener`, `error`, `stack`',
    meaning: 'Respondido com 503; o serviço repete.',
    action: 'Veja `store.broken` e `disk.changed`.',
  },
  'callback.quarantined': {
    fields: '`kind`, `environment`, `listener`, `reasons`, `quarantined`, `see`',
    meaning: 'Fatos sobre contas de terceiros ficam retidos.',
    action: 'Decida com o comando em `see`.',
  },
  'callback.refused': {
    fields: '`environment`, `code`, `path`, `eventId`, `hint`',
    meaning: '[Um callback de um chamador identificado foi recusado](../monitoring/README.md#refused-callbacks).',
    action: '`portaria check` diz como corrigir.',
  },
  'callback.stored': {
    fields:
      '`kind`, `environment`, `listener`, `target`, `events`, `duplicates`, `token`, `quarantined`, `deliveries`, `bytes`, `durationMs`, `remoteAddress`, `mark`',
    meaning:
      'Confirmado no banco e respondido com 200. `events`: IDs dos eventos novos. `token`: número da tarefa que resolve o token da cobrança. `target`: só de cobranças, o caminho com o token abreviado. `mark`: `unparsed` ou `unsplit`.',
  },
  'callbacks.quarantined': {
    fields: '`quarantined`, `see`',
    meaning: '`callback.quarantined` de um segundo.',
    action: 'Decida com o comando em `see`.',
  },
  'callbacks.stored': {
    fields: '`callbacks`, `events`, `duplicates`, `tokens`, `quarantined`, `deliveries`, `bytes`, `slowestMs`',
    meaning: '`callback.stored` de um segundo, em números.',
  },
  'caller.refused': {
    fields:
      '`listener`, `remoteAddress`, `code`, `reason`, `rawCode`, `detail`, `environment`, `tlsVersion`, `serverName`, `subject`, `issuer`, `fingerprint`',
    meaning:
      'Um chamador foi recusado. `subject`, `issuer`, `fingerprint`: do certificado dele. `portaria refusals show` tem tudo o que ele enviou.',
    action: 'Veja o código em `code`.',
  },
  'callers.refused': {
    fields: '`leftOut` e os campos de `caller.refused`',
    meaning: 'Chamadores além do número que se registra um a um em um minuto.',
    action: 'Veja o código em `code`.',
  },
  'certificate.expiring': {
    fields:
      '`set`, `where`, `subject`, `issuer`, `fingerprint`, `notAfter`, `daysLeft`, `warning`, `environment`, `problem`, `eventId`',
    meaning: 'Um certificado vence em breve; `error` quando restam poucos dias.',
    action: 'Renove-o; `set` diz de quem é.',
  },
  'certificate.loses_client_use': {
    fields: 'os campos de `certificate.expiring`',
    meaning: 'A autoridade de um certificado já não pode renová-lo para clientes TLS.',
    action: 'Planeje outro.',
  },
  'certificate.not_renewed': {
    fields: '`what`, `problem`, `hint`',
    meaning: 'Um arquivo não pode ser usado; o conteúdo anterior fica ou, sem ele, os chamadores são recusados.',
    action: 'Corrija o arquivo: `problem` e `hint` dizem como.',
  },
  'certificate.recovered': { fields: '`what`', meaning: 'Os arquivos voltaram a ser iguais aos que estão em uso.' },
  'certificate.renewed': { fields: '`what`', meaning: 'Arquivos alterados entraram em uso.' },
  'certificate.warning': {
    fields: '`warning` ou `problem`',
    meaning: 'Um certificado ou uma cadeia em uso tem este defeito.',
    action: 'Corrija o que `warning` ou `problem` indica.',
  },
  'certificates.not_checked': { fields: '`error`', meaning: 'As datas de vencimento não puderam ser lidas.' },
  'charge_route.ended': {
    fields: '`environment`, `resource`, `id`, `client`',
    meaning: 'Um aplicativo encerrou as notificações de `id`.',
  },
  'charge_route.refused': {
    fields: '`environment`, `resource`, `id`, `destination`, `client`, `reason`',
    meaning: 'O serviço não aceitou o endereço do gateway; nada mudou.',
  },
  'charge_route.set': {
    fields: '`environment`, `resource`, `id`, `destination`, `client`',
    meaning: 'Um aplicativo recebe as notificações de `id`.',
  },
  'charge_route.unconfirmed': {
    fields: '`environment`, `resource`, `id`, `destination`, `client`, `reason`',
    meaning: 'O serviço não respondeu. O aplicativo repete a requisição.',
  },
  'charges.off': {
    fields: '`institution`, `reason`, `set`',
    meaning: 'O tipo `charge` está configurado, mas o listener de cobranças não.',
    action: 'Defina as chaves em `set`, ou remova o tipo.',
  },
  'clock.behind': {
    fields: '`clock`, `lastCertain`, `hint`',
    meaning: 'O relógio está atrás da última hora conhecida.',
    action: 'Acerte-o.',
  },
  'clock.confirmed': { fields: '`clock`', meaning: 'Um operador confirmou o relógio.' },
  'clock.implausible': {
    fields: '`clock`, `lastCertain`, `hint`',
    meaning: 'O relógio saltou para a frente: nada é removido nem vence por idade.',
    action: 'Compare-o; depois, `portaria storage confirm-clock`.',
  },
  'clock.not_recorded': { fields: '`error`', meaning: 'A hora não pôde ser gravada.' },
  'clock.plausible': { fields: '`clock`', meaning: 'O relógio voltou a concordar com as horas conhecidas.' },
  'configuration.needs_restart': {
    fields: '`keys`, `hint`',
    meaning: 'Um reinício aplica estas chaves da configuração.',
  },
  'configuration.not_reloaded': {
    fields: '`error`, `details`, `hint`',
    meaning: 'A configuração alterada tem erros; nada mudou.',
  },
  'configuration.partly_reloaded': {
    fields: '`renewed`, `problems`, `hint`',
    meaning: 'A configuração alterada está em uso, menos o que `problems` aponta.',
  },
  'configuration.reloaded': { fields: '`renewed`', meaning: 'A configuração alterada está em uso.' },
  'deliveries.attempted': {
    fields: '`destination`, `deliveries`, `slowestMs`',
    meaning: 'Tentativas bem-sucedidas de um segundo além das primeiras 100.',
  },
  'deliveries.canceled': {
    fields: '`destination`, `state`, `canceled`',
    meaning: 'O destino foi excluído ou retirado.',
  },
  'deliveries.exhausted': {
    fields: '`destination`, `exhausted`, `reason`, `holdsItsSubject`',
    meaning: 'Entregas passaram de `forwarding.maxAge`.',
    action: 'Repare o destino; depois, `portaria replays create --mode failed`.',
  },
  'deliveries.not_exhausted': { fields: '`error`', meaning: 'Entregas antigas demais não puderam ser encerradas.' },
  'deliveries.not_woken': {
    fields: '`error`',
    meaning: 'Depois da confirmação do relógio, entregas podem começar com atraso.',
  },
  'delivery.attempted': {
    fields:
      '`delivery`, `eventId`, `kind`, `environment`, `destination`, `attempt`, `status`, `error`, `durationMs`, `result`, `nextAttemptAt`',
    meaning: '`info`: aceita (2xx). `warn`: falhou; nova tentativa em `nextAttemptAt`.',
  },
  'delivery.exhausted': {
    fields: 'os campos de `delivery.attempted`, `reason`, `holdsItsSubject`',
    meaning: 'A agenda acabou. `holdsItsSubject`: as entregas posteriores do assunto esperam por ela.',
    action: 'Repare o destino; depois, `portaria deliveries retry`.',
  },
  'delivery.not_claimed': {
    fields: '`destination`, `error`',
    meaning: 'O banco de dados não respondeu.',
    action: 'Verifique o disco, ou o PostgreSQL: `error` diz o que falhou.',
  },
  'delivery.not_recorded': {
    fields: '`outcomes`, `error`',
    meaning:
      'Resultados esperam na memória pelo banco de dados. Depois de uma queda agora, essas entregas são enviadas de novo.',
    action: 'Verifique o disco, ou o PostgreSQL: `error` diz o que falhou.',
  },
  'delivery.not_released': {
    fields: '`destination`, `error`',
    meaning: 'Entregas reservadas não puderam ser devolvidas: ficam livres quando a concessão termina.',
  },
  'destination.certificate_not_kept': {
    fields: '`destination`, `error`',
    meaning: 'O certificado de um destino não pôde ser registrado.',
  },
  'destination.circuit_not_recorded': {
    fields: '`destination`, `error`',
    meaning: 'Uma mudança do circuito não pôde ser gravada: a API mostra o estado anterior até a próxima tentativa.',
  },
  'destination.circuit_opened': {
    fields: '`destination`, `probeIntervalMs`',
    meaning: 'O destino continua falhando: só testes são enviados.',
    action: 'Repare-o; o envio recomeça sozinho.',
  },
  'destination.not_paused': {
    fields: '`destination`, `error`',
    meaning: 'A pausa de um destino não pôde ser gravada.',
    action: 'Verifique o disco, ou o PostgreSQL: `error` diz o que falhou.',
  },
  'destination.not_resumed': {
    fields: '`destination`, `error`',
    meaning: 'O fim de uma pausa por causa do certificado de cliente não pôde ser gravado.',
  },
  'destination.paused': {
    fields: '`destination`, `reason`',
    meaning: 'O envio parou, por exemplo depois de 410. Uma pausa por causa do certificado de cliente termina sozinha.',
    action: '`portaria destinations resume`, quando o motivo não existir mais.',
  },
  'destination.recovered': {
    fields: '`destination`',
    meaning: 'Ele voltou a aceitar entregas; as acumuladas seguem no ritmo de `forwarding.catchUpRate`.',
  },
  'destination.resumed': {
    fields: '`destination`, `reason`',
    meaning: 'A pausa por causa do certificado de cliente terminou: ele pode ser usado de novo.',
  },
  'destinations.not_renewed': {
    fields: '`error`, `hint`',
    meaning: 'Destinos alterados, ou as autoridades deles, não puderam ser gravados.',
  },
  'destinations.retired': {
    fields: '`destinations`',
    meaning: 'Estes destinos não estão mais na configuração: nada mais é enviado a eles.',
  },
  'disk.changed': {
    fields: '`from`, `to`, `freeBytes`, `minFreeBytes`, `reusableBytes`, `refused`, `meaning`, `hint`',
    meaning:
      'O [nível da guarda do disco](troubleshooting.md#outros-problemas) mudou. `error`: os callbacks são recusados. `info`: tudo volta a ser registrado.',
  },
  'disk.dropped': {
    fields: '`refusals`, `answers`',
    meaning: 'Recusas e corpos de respostas antigos foram removidos para liberar espaço.',
    action: 'Libere espaço, ou diminua `storage.retention`.',
  },
  'disk.not_dropped': {
    fields: '`error`',
    meaning: 'Recusas antigas e corpos de respostas não puderam ser removidos.',
  },
  'disk.not_measured': { fields: '', meaning: 'O espaço livre é desconhecido; vale o último valor conhecido.' },
  'disk.wal_pinned': {
    fields: '`freeBytes`, `minFreeBytes`, `walBacklogBytes`, `hint`',
    meaning: 'Uma leitura longa retém o write-ahead log.',
    action: 'Encerre o programa que lê há tanto tempo.',
  },
  'expected.silent': {
    fields: '`kind`, `environment`, `subject`, `expectedAt`, `silence`, `eventId`',
    meaning: 'O callback de um ID esperado não chegou a tempo.',
    action: 'Pergunte ao serviço; execute `portaria check --url`.',
  },
  'gateway.crashed': {
    fields: '`error`, `stack`',
    meaning: 'Um erro inesperado encerrou o processo.',
    action: 'Relate como defeito do programa, com `stack`.',
  },
  'gateway.not_closed': {
    fields: '`error`, `hint`',
    meaning: 'Depois de um início que falhou, algo não pôde ser fechado. O motivo da falha vem a seguir.',
  },
  'gateway.started': {
    fields: '`version`, `node`, `callbacks`, `charges`, `api`, `database`, `passed`',
    meaning: 'O gateway está escutando. `passed`: listeners cujos sockets o systemd abriu.',
  },
  'gateway.stop_timeout': {
    fields: '`afterMs`',
    meaning: 'A parada foi abreviada. As entregas em curso são enviadas de novo.',
    action: 'Nada: o que estava em andamento é repetido. Se acontecer de novo, relate.',
  },
  'gateway.stopped': { fields: '`signal`, `while`', meaning: 'O gateway parou, ou foi parado enquanto iniciava.' },
  'gateway.stopping': { fields: '`signal`', meaning: 'O gateway para: as requisições em curso são concluídas.' },
  'kind.alert_failed': { fields: '`kind`, `error`', meaning: 'O silêncio não pôde ser registrado; nova tentativa.' },
  'kind.resumed': { fields: '`kind`, `environment`, `silentForMs`', meaning: 'Os callbacks voltaram a chegar.' },
  'kind.silent': {
    fields: '`kind`, `environment`, `silence`, `lastReceivedAt`, `eventId`',
    meaning: 'Nenhum callback chegou por mais tempo que `alertAfter`.',
    action: 'Pergunte ao serviço e execute `portaria check --url`.',
  },
  'limits.lowered': {
    fields: '`limit`, `wanted`, `allowed`, `hint`',
    meaning: 'O limite de arquivos abertos é baixo demais para as conexões configuradas.',
    action: 'Aumente-o.',
  },
  'log.dropped': {
    fields: '`dropped`',
    meaning: 'O log não foi lido depressa o bastante, ou o disco dele estava cheio.',
    action: 'Faça o log ser lido ou gravado mais depressa, ou libere espaço para ele.',
  },
  'machine.addresses_unknown': {
    fields: '`hint`',
    meaning: 'O sistema não informa os endereços desta máquina: verificações daqui podem contar como recusas.',
  },
  'metrics.incomplete': {
    fields: '`what`, `error`',
    meaning: 'Uma leitura falhou; as métricas dela faltam em `/metrics`.',
  },
  'node.outdated': {
    fields: '`node`, `safeFrom`, `hint`',
    meaning: 'Falhas de segurança conhecidas no que o Portaria usa; `error` em production.',
  },
  'nodes.heard': {
    fields: '',
    meaning: 'O que outros nós mudam volta a chegar, e o que mudou nesse tempo entra em uso.',
  },
  'nodes.leases_given_back': {
    fields: '`destinations`, `jobs`',
    meaning: 'Este nó passa estes destinos a outro nó, que tem menos.',
  },
  'nodes.leases_lost': {
    fields: '`destinations`, `jobs`',
    meaning: 'Outro nó tem estes destinos, porque este ficou em silêncio por 15 s.',
  },
  'nodes.leases_taken': {
    fields: '`destinations`, `jobs`',
    meaning: 'Este nó passa a enviar a estes destinos (IDs); `jobs`: ele tem também essa concessão.',
  },
  'nodes.name_shared': { fields: '`node`, `hint`', meaning: 'Outro nó em funcionamento tem o mesmo `node.name`.' },
  'nodes.not_heard': { fields: '`error`', meaning: 'O que outros nós mudam não chega aqui, mas não se perde.' },
  'nodes.not_signed_off': {
    fields: '`error`',
    meaning: 'A parada deste nó não chegou ao banco de dados: os outros assumem depois de 15 s.',
  },
  'nodes.not_signed_on': { fields: '`error`', meaning: 'Nenhum sinal de vida chegou ao banco de dados.' },
  'oidc.logout': { fields: '`sessions`', meaning: 'O provedor OpenID encerrou tantas sessões.' },
  'oidc.logout_refused': { fields: '`error`, `leftOut`', meaning: 'O logout token do provedor OpenID não é válido.' },
  'oidc.sign_in_refused': {
    fields: '`reason`, `client`, `error`, `claim`, `came`, `values`, `hint`, `leftOut`',
    meaning:
      'Uma entrada pelo provedor OpenID foi recusada; `error` tem as palavras dele. `begun`: por outro navegador, ou encerrada. `provider`: ele recusa a pessoa. `gateway`: ele recusa o `clientId` ou o segredo do cliente. `answer`: não é válida. `role`: nenhuma função corresponde: o que veio como claim, com os seus 20 primeiros textos, a não ser que nomeiem a pessoa.',
  },
  'oidc.unreachable': {
    fields: '`issuer`, `client`, `error`, `hint`, `leftOut`',
    meaning: 'O provedor OpenID não dá uma resposta válida.',
  },
  'page.failed': {
    fields: '`requestId`, `method`, `path`, `error`, `stack`, `hint`',
    meaning: 'Um defeito do programa.',
    action: 'Comunique-o.',
  },
  'probe.recognized': {
    fields: '`refusals`, `addresses`',
    meaning: 'Uma chamada aceita do mesmo endereço veio em seguida: as duas requisições do serviço.',
  },
  'proxy.not_used': {
    fields: '`variable`, `hint`',
    meaning:
      'O ambiente define um proxy, e nenhuma conexão do gateway usa proxy: destinos, serviço, alarmes e `api.oidc` são acessados sem ele.',
  },
  'quarantine.discarded': {
    fields: '`id`, `kind`, `environment`, `by`',
    meaning: 'Um fato em quarentena nunca vai virar um evento.',
  },
  'quarantine.released': {
    fields: '`id`, `eventId`, `kind`, `environment`, `by`, `duplicate`, `deliveries`',
    meaning: 'Um fato em quarentena virou um evento.',
  },
  'reconcile.delayed': { fields: '`error`', meaning: 'O banco de dados falhou: o serviço é consultado mais tarde.' },
  'reconcile.done': {
    fields: '`environment`, `asked`, `found`, `unknown`, `undecided`, `unnamed`, `failed`, `left`, `error`',
    meaning: '[Reconciliação](../service-queries.md#what-did-i-miss); warn: uma consulta falhou.',
  },
  'refusals.not_recorded': { fields: '`refusals`, `error`', meaning: 'Faltam tantas recusas no banco de dados.' },
  'registration.created': {
    fields: '`registration`, `destination`, `kind`, `client`',
    meaning: 'Um aplicativo cadastrou um webhook.',
  },
  'registration.deleted': {
    fields: '`registration`, `destination`, `client`',
    meaning: 'Um webhook cadastrado foi excluído.',
  },
  'registration.moved': {
    fields: '`registration`, `destination`, `client`',
    meaning: 'Um webhook cadastrado tem outra URL.',
  },
  'registrations.off': {
    fields: '`reason`, `set`',
    meaning:
      'Nenhuma autoridade para certificados de cliente está configurada: aplicativos não podem cadastrar webhooks com um.',
    action: 'Defina uma chave em `set`.',
  },
  'replay.canceled': {
    fields: 'os campos de `replay.started`, `underWay`, `canceledBy`',
    meaning: 'As entregas pendentes foram retiradas, menos as tentativas em curso (`underWay`).',
  },
  'replay.continued': {
    fields: 'os campos de `replay.started`',
    meaning: 'Um reenvio continua depois de um reinício.',
  },
  'replay.delayed': { fields: '`replay`, `error`', meaning: 'Um passo de um reenvio falhou.' },
  'replay.finished': {
    fields: 'os campos de `replay.started`',
    meaning: 'Um reenvio terminou. `error`: ele falhou, e `reason` diz por quê.',
    action: 'Onde falhou, remova o motivo e crie o reenvio de novo.',
  },
  'replay.started': {
    fields:
      '`replay`, `destination`, `mode`, `state`, `reason`, `matched`, `leftOut`, `created`, `askedBy`, `durationMs`',
    meaning: 'Um reenvio começa.',
  },
  'replays.not_started': {
    fields: '`error`',
    meaning: 'Reenvios em espera não puderam continuar: eles continuam com o próximo reenvio ou reinício.',
    action: 'Verifique o disco, ou o PostgreSQL: `error` diz o que falhou.',
  },
  'retention.actions_removed': {
    fields: '`actions`',
    meaning: 'Entradas antigas do registro de ações foram removidas.',
  },
  'retention.delayed': { fields: '`error`', meaning: 'Uma passagem da retenção falhou.' },
  'retention.removed': {
    fields: '`payloads`, `events`, `kept`, `durationMs`',
    meaning: '`events`: removidos por inteiro. `kept`: callbacks antigos que ainda esperam por algo.',
  },
  'search.delayed': {
    fields: '`error`',
    meaning:
      'O índice da busca não pode continuar: as buscas não acham eventos mais novos. Nova tentativa a cada 10 s.',
  },
  'search.indexed': { fields: '`events`, `durationMs`', meaning: 'O índice da busca alcançou muitos eventos.' },
  'search.rebuild_started': {
    fields: '',
    meaning: 'Foi pedido: o índice da busca está sendo refeito com todos os eventos.',
  },
  'search.rebuilt': { fields: '`events`, `durationMs`', meaning: 'O índice da busca foi refeito.' },
  'search.resumed': { fields: '', meaning: 'O índice da busca continua.' },
  'search.settings_changed': {
    fields: '',
    meaning: 'As configurações `search` de um tipo mudaram: o índice está sendo refeito com todos os eventos.',
  },
  'service.failing': {
    fields: '`environment`, `interface`, `code`, `error`',
    meaning: 'As chamadas a uma interface falham.',
    action: '`portaria service status` diz por quê.',
  },
  'service.not_closed': {
    fields: '`environment`, `error`',
    meaning: 'Conexões de uma configuração anterior não puderam ser fechadas.',
  },
  'service.outage': {
    fields: '`cause`, `beganAt`, `endedAt`, `windows`, `eventId`',
    meaning:
      'Callbacks não foram aceitos: [Depois de uma interrupção](checks-and-alarms.md#depois-de-uma-interrupção).',
    action: 'Pergunte ao serviço o que ele pode ter desistido de enviar: `portaria service reconcile`.',
  },
  'service.recovered': {
    fields: '`environment`, `interface`',
    meaning: 'As chamadas a uma interface voltaram a dar certo.',
  },
  'service.refused': {
    fields: '`environment`, `interface`, `code`, `error`, `hint`',
    meaning: 'O serviço recusa o certificado, as credenciais ou o escopo, até que uma pessoa aja.',
  },
  'session.ended': {
    fields: '`client`, `reason`',
    meaning:
      'Uma sessão terminou: saída, ociosidade, fim absoluto, revogação, substituição, fim em outro nó, parada do gateway, ou o que o provedor OpenID disse.',
  },
  'session.started': {
    fields: '`client`, `bound`',
    meaning: 'Uma pessoa entrou nas páginas. `bound`: só com aquele certificado de cliente.',
  },
  'store.broken': {
    fields: '`error`',
    meaning: 'As gravações falham; os callbacks são respondidos com 503.',
    action: 'Verifique o disco, ou o PostgreSQL.',
  },
  'store.lost': {
    fields: '`error`',
    meaning:
      'O banco de dados não pode ser usado, porque o arquivo foi removido ou porque ele é outro. O processo termina.',
    action: 'Veja [Um banco de dados que falta ou está danificado](../storage.md#a-missing-or-damaged-database).',
  },
  'store.reader_lost': {
    fields: '`error`, `hint`',
    meaning:
      'A thread de leitura terminou. As leituras falham com `store_unavailable` até um reinício; callbacks e entregas continuam.',
  },
  'store.recovered': { fields: '', meaning: 'As gravações voltaram a funcionar.' },
  'store.unsafe': {
    fields: '`settings`',
    meaning:
      'Com estas configurações do PostgreSQL, callbacks já confirmados podem se perder. No modo production, elas são recusadas.',
    action: 'Volte-as ao valor padrão e recarregue o PostgreSQL.',
  },
  'subject.redacted': {
    fields: '`environment`, `events`, `quarantined`, `canceled`, `logEmptied`',
    meaning: 'Os dados de um assunto foram removidos.',
  },
  'systemd.notify_failed': {
    fields: '`error`, `hint`',
    meaning: 'O systemd não pôde ser avisado, e pode reiniciar o gateway.',
  },
  'token.given_up': {
    fields: '`environment`, `token`, `error`, `hint`',
    meaning: 'Nenhum item por 30 dias: não é mais consultado até que chegue outro callback.',
  },
  'token.issued': {
    fields: '`client`, `scopes`, `bound`',
    meaning: 'Um token de acesso foi emitido. `bound`: só com aquele certificado de cliente.',
  },
  'token.refused': {
    fields: '`client`, `address`, `leftOut`',
    meaning: 'ID de cliente (null: fora do formato) ou segredo errado. No máximo 60 linhas por minuto.',
  },
  'token.resolved': {
    fields: '`environment`, `token`, `events`, `waitedMs`',
    meaning: 'O serviço entregou os itens do token de uma cobrança. `token`: número da tarefa.',
  },
  'token.unresolved': {
    fields: '`environment`, `token`, `events`, `error`, `see`',
    meaning: 'Não resolvido dentro de `resolveWithin`: o próprio token virou um evento. As consultas continuam.',
    action: 'Consulte como o comando em `see` mostra.',
  },
  'tokens.budget_used_up': {
    fields: '`environment`, `limit`, `hint`',
    meaning: 'As [consultas deste dia UTC](../service-queries.md#budgets) se esgotaram.',
  },
  'tokens.delayed': {
    fields: '`environment`, `error`',
    meaning: 'O banco de dados falhou: os tokens de cobrança são resolvidos mais tarde.',
  },
  'tokens.held_back': {
    fields: '`environment`, `error`, `waitMs`, `see`',
    meaning: 'O serviço não pode ser consultado. Depois de cada espera, uma consulta tenta de novo.',
    action: 'Consulte como o comando em `see` mostra.',
  },
  'tokens.resolved': { fields: '`tokens`, `events`', meaning: '`token.resolved` de um segundo, em números.' },
  'tokens.sender_used_up': {
    fields: '`environment`, `remoteAddress`, `limit`, `hint`',
    meaning:
      'Um endereço esgotou a sua parte das consultas de tokens de cobrança. Os tokens de outros são consultados. Uma vez por dia.',
  },
  'tokens.resumed': { fields: '`environment`', meaning: 'O serviço pode ser consultado de novo.' },
  'trust.renewed': {
    fields: '`issuing`, `closed`',
    meaning: 'As cadeias do serviço mudaram. `closed`: conexões de chamadores em que já não se confia.',
  },
  'watchdog.withheld': {
    fields: '`hint`',
    meaning: 'A thread de gravação não responde: o systemd reinicia o gateway.',
  },
}
