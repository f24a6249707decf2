import { COMMAND } from '../../../platform/installation.ts'
import type { Sentence } from './sentence.ts'

const EXPIRES: Sentence = ['{name} expires {words}, on {day}', '{name} vence {words}, em {day}']
const EXPIRED: Sentence[] = [
  ['{name} expired on {day}', '{name} venceu em {day}'],
  ['{name} is not valid before {day}', '{name} só vale a partir de {day}'],
]
const MODE: Sentence = [
  '{file} has mode {mode}: others may read or change it',
  '{file} tem o modo {mode}: outros podem lê-lo ou alterá-lo',
]
const TRUSTED: Sentence = [
  '{name} is a test CA: only this machine trusts it',
  '{name} é uma AC de testes: só esta máquina confia nela',
]

/** The texts of the report in Portuguese, by code. '' says what FINDINGS says. Findings with other texts are quoted: they are another program's. */
export const FINDING_VALUES: Readonly<Record<string, readonly Sentence[]>> = {
  'secrets.not_checked': [['credential {name} is not checked', 'A credencial {name} não foi verificada.']],
  'mode.development': [['development: missing certificates and the operator token are created at start', '']],
  'configuration.not_loaded': [
    ['it uses another file, {file}', 'Ele usa outro arquivo, {file}'],
    ['the file was changed and not taken up', 'O arquivo foi alterado e não passou a valer'],
  ],
  'listener.proxy_everybody': [
    [
      'proxyProtocol has {networks}: every caller can claim any address, and no limit or list of addresses holds',
      'proxyProtocol tem {networks}: qualquer chamador pode alegar qualquer endereço, e nenhum limite ou lista de endereços vale',
    ],
  ],
  'charges.off': [
    [
      'off: kind charge is accepted over mutual TLS only; the service sends charge notifications without a client certificate: set chargeNotifications and its tokens to receive them',
      'Desligado: o tipo charge só é aceito com TLS mútuo; o serviço envia notificações de cobrança sem certificado de cliente: defina chargeNotifications e os tokens para recebê-las',
    ],
  ],
  'alarms.file_unusable': [['{key}: its content {words}', '{key}: o conteúdo {words}']],
  'charges.without_tls': [['on, with plain http: the token in its path can be read on the way', '']],
  'charges.path_tokens': [
    [
      'taken from any address without a client certificate: a callback proves of its caller only that it knows the secret of the URL',
      'Callbacks são aceitos de qualquer endereço sem certificado de cliente: o chamador prova apenas que conhece o segredo da URL.',
    ],
    [
      'taken from {addresses} without a client certificate: a callback proves of its caller only that it knows the secret of the URL',
      'Callbacks são aceitos sem certificado de cliente: o chamador prova apenas que conhece o segredo da URL. Endereços aceitos: {addresses}.',
    ],
  ],
  'accounts.any': [
    [
      'payments are accepted for every account: any customer of the institution may register your URL, with a valid certificate of the service',
      '',
    ],
  ],
  'node.outdated': [
    ['{version} lacks fixes that {other} has', 'À versão {version} do Node.js faltam correções que {other} tem.'],
  ],
  'node.unneeded_fixes': [
    [
      '{version} lacks fixes that {other} has, all in parts that Portaria does not use (the Brotli decoder)',
      'À versão {version} do Node.js faltam correções que {other} tem, todas em partes que o Portaria não usa.',
    ],
  ],
  'file.mode': [MODE, ['{file} has mode {mode} and holds secrets', '{file} tem o modo {mode} e contém segredos']],
  'file.owner': [
    ['{file} has mode {mode} and belongs to user {user}', '{file} tem o modo {mode} e pertence ao usuário {user}'],
  ],
  'file.unreadable': [
    [
      '{file} has mode {mode} and belongs to another user: the gateway may not read it',
      '{file} tem o modo {mode} e pertence a outro usuário: o gateway não pode lê-lo',
    ],
    ['{file} has mode {mode}: the gateway may not read it', '{file} tem o modo {mode}: o gateway não pode lê-lo'],
  ],
  'file.writable': [
    ['{file} has mode {mode}: every user may change it', '{file} tem o modo {mode}: todos os usuários podem alterá-lo'],
  ],
  'folder.writable': [
    [
      '{folder} has mode {mode}: every user may replace the files in it',
      '{folder} tem o modo {mode}: todos os usuários podem trocar os arquivos nela',
    ],
  ],
  'database.mode': [
    ['{file} has mode {mode}: every user may read it', '{file} tem o modo {mode}: todos os usuários podem lê-lo'],
    ['{file} has mode {mode}: its group may read it', '{file} tem o modo {mode}: o grupo pode lê-lo'],
    [
      '{file} has mode {mode}: others may read what was received',
      '{file} tem o modo {mode}: outros podem ler o que foi recebido',
    ],
  ],
  'database.folder': [
    [
      '{folder} does not exist yet, and this user may not write to {above}',
      '{folder} ainda não existe, e este usuário não pode gravar em {above}',
    ],
  ],
  'trust.refused_usage': [
    [
      '{name} of an installed chain of {realm} was refused as wrong_usage in the last 7 days',
      '{name}, de uma cadeia instalada de {realm}, foi recusado (wrong_usage) nos últimos 7 dias',
    ],
  ],
  'certificate.missing': [['{file} does not exist yet', '{file} ainda não existe']],
  'certificate.expired': EXPIRED,
  'certificate.urgent': [EXPIRES],
  'certificate.expiring': [EXPIRES],
  'certificate.not_renewed': [
    [
      '{name} expires {words}, on {day}, and its file is older than the usual time between renewals: nothing renews it',
      '{name} vence {words}, em {day}, e o arquivo é mais antigo que o tempo usual entre renovações: nada o renova',
    ],
  ],
  'certificate.authority': [
    TRUSTED,
    ['{name} is self-signed: no caller trusts it', '{name} é autoassinado: nenhum chamador confia nele'],
    ['callers do not know {issuer}, which issued {name}', 'os chamadores não conhecem {issuer}, que emitiu {name}'],
    ['callers do not know its root {name}', 'os chamadores não conhecem a raiz {name}'],
  ],
  'certificate.incomplete': [
    [
      '{issuer}, which issued {name}, is missing, and callers do not know it',
      'Falta {issuer}, que emitiu {name} e que os chamadores não conhecem',
    ],
  ],
  'certificate.usage': [
    ['{name} may not be used as a {words} certificate', '{name} não pode ser usado como certificado de {words}'],
  ],
  'certificate.names': [
    ['{name} names no host: callers refuse it', '{name} não tem nome de host: os chamadores o recusam'],
    ['names {names}, not {host}', 'O certificado vale para {names}, não para {host}'],
  ],
  'trust.missing': [['none exist yet', '']],
  'trust.test_ca': [
    [
      '{file} trusts the test CA {name}, whose keys are on the machines of developers',
      '{file} confia na AC de testes {name}, cujas chaves estão em máquinas de desenvolvedores',
    ],
  ],
  'trust.caller_usage': [
    [
      '{name} ({file}) may issue for servers only: its callers are refused as wrong_usage',
      '{name} ({file}) só emite para servidores: os seus chamadores são recusados (wrong_usage)',
    ],
  ],
  'trust.revocation_list': [
    [
      'of "{issuer}" ({file}): {count} revoked, next update {next}; it {words}',
      'Lista de "{issuer}" ({file}): {count} revogados, próxima atualização {next}; {words}',
    ],
  ],
  'database.settings': [
    [
      'fsync is off: a crash of the machine can destroy the database',
      'fsync está desligado: uma queda da máquina pode destruir o banco de dados',
    ],
    [
      'full_page_writes is off: a crash of the machine can destroy the database',
      'full_page_writes está desligado: uma queda da máquina pode destruir o banco de dados',
    ],
    [
      'synchronous_commit is off: a crash of the server loses acknowledged callbacks',
      'synchronous_commit está desligado: uma queda do servidor perde callbacks confirmados',
    ],
    [
      'synchronous_commit is local: a failover to the synchronous standby loses acknowledged callbacks',
      'synchronous_commit é local: uma troca para a réplica síncrona perde callbacks confirmados',
    ],
  ],
  'database.replaced': [
    [
      'the running gateway has another file open than {file}: its file was removed or replaced',
      'O gateway em execução tem outro arquivo aberto, não {file}: o dele foi removido ou trocado',
    ],
  ],
  'database.standby': [['none is synchronous: a failover may lose what was acknowledged', '']],
  'database.superuser': [['is a superuser, and may do more than Portaria needs', '']],
  'database.public': [['every role of the server may connect to the database, and send notices to the nodes', '']],
  'database.rights': [['may not {rights}', 'Faltam estes privilégios no banco de dados: {rights}.']],
  'integrity.unfinished': [
    ['not finished within {seconds} s: {size}', 'A verificação da integridade não terminou em {seconds} s: {size}.'],
  ],
  search_behind: [
    [
      '{count} events cannot be found yet, the oldest of them for {span}',
      '{count} eventos ainda não são encontrados, o mais antigo há {span}.',
    ],
    [
      '{count} events cannot be found yet, the oldest of them for {span}: {words}',
      '{count} eventos ainda não são encontrados, o mais antigo há {span}: {words}',
    ],
  ],
  'space.unknown': [
    ['the system does not say how much is free at {place}', 'O sistema não diz quanto espaço há em {place}.'],
  ],
  space_short: [
    [
      '{free} free at {place}, storage.minFreeSpace is {least}',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}.',
    ],
    [
      '{free} free at {place}, storage.minFreeSpace is {least}: refusals are no longer recorded',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}. As recusas não são mais registradas.',
    ],
    [
      '{free} free at {place}, storage.minFreeSpace is {least}: refusals and answers of destinations are no longer recorded',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}. Recusas e respostas dos destinos não são mais registradas.',
    ],
  ],
  space_out: [
    [
      '{free} free at {place}, storage.minFreeSpace is {least}: new callbacks are refused (503)',
      'Livres em {place}: {free}; storage.minFreeSpace é {least}. Novos callbacks são recusados (503).',
    ],
  ],
  'nodes.differ': [['{words}; not as on most nodes: {keys}', '{words}; não é como na maioria dos nós: {keys}']],
  'nodes.name_shared': [['several nodes that live have this name', '']],
  'nodes.silent': [
    [
      'version {version}, silent since {time}: others send in its place',
      'Versão {version}, em silêncio desde {time}: outros enviam no lugar dele.',
    ],
  ],
  'clock.behind': [
    [
      'it says {now}, but this program was installed at {time}',
      'Ele mostra {now}, mas este programa foi instalado em {time}.',
    ],
    [
      'it says {now}, but the latest event was received at {time}',
      'Ele mostra {now}, mas o último evento foi recebido em {time}.',
    ],
  ],
  clock_implausible: [
    [
      'the clock says {now}, {days} days after the last certain time {time}: nothing is removed or expired by age until it is right; {words}',
      'Ele mostra {now}, {days} dias depois da última hora certa, {time}: até ser acertado, nada é removido nem vence por idade; {words}',
    ],
  ],
  'clock.differs': [
    ["this machine's clock is {seconds} s ahead", 'O relógio desta máquina está {seconds} s adiantado.'],
    ["this machine's clock is {seconds} s behind", 'O relógio desta máquina está {seconds} s atrasado.'],
  ],
  'gateway.older': [
    [
      'runs, but it is older than the program: it is version {version}, and the program is {program}',
      'O gateway em execução é da versão {version}, e o programa instalado, da versão {program}.',
    ],
    ['runs, but it is older than the program: it does not say when it was started', ''],
    [
      'runs, but it is older than the program: it was started at {time}, and the program was changed at {change}',
      'O gateway em execução foi iniciado em {time}, e o programa mudou depois, em {change}.',
    ],
  ],
  'listener.unavailable': [
    ['{address} is taken by another program', '{address} é usado por outro programa'],
    ['{address} is not an address of this machine', '{address} não é um endereço desta máquina'],
    ['{address} may not be opened by this user', '{address} não pode ser aberto por este usuário'],
    ['{address} is no known name', '{address} não é um nome conhecido'],
  ],
  'open_files.too_few': [
    [
      "this command's limit of {limit} is too low: the process may open {limit} files and connections, and needs at least {least}: {words}",
      'O limite deste comando é baixo demais: o processo pode abrir {limit} arquivos e conexões, e precisa de pelo menos {least}.',
    ],
  ],
  'open_files.lowered': [
    [
      "this command's limit of {limit} lowers the connections: {words}",
      'O limite deste comando, de {limit}, reduz as conexões: {words}',
    ],
    [
      "the gateway's limit of {limit} lowers the connections: {words}",
      'O limite do gateway, de {limit}, reduz as conexões: {words}',
    ],
  ],
  'oidc.logout_certificate': [
    [
      'required also holds for /ui/oidc/logout, where the provider ends sessions: it needs a client certificate',
      'required vale também para /ui/oidc/logout, por onde o provedor encerra sessões: ele precisa de um certificado de cliente',
    ],
  ],
  'listener.any_port': [['it takes any free port', '']],
  'listener.silent': [
    [
      'the gateway runs, but {address} does not answer: {words}',
      'O gateway está em execução, mas {address} não responde: {words}',
    ],
  ],
  'listener.other_certificate': [
    [
      '{address} sends another certificate than {file}: {name}',
      '{address} apresenta outro certificado que não {file}: {name}',
    ],
  ],
  'listener.open': [
    ['{address} accepts a caller that has no certificate', '{address} aceita um chamador sem certificado.'],
  ],
  callbacks_refused: [
    [
      'callbacks of identified callers that were answered {status} in the last 24 hours: {count}, the last at {time}',
      'Callbacks de chamadores identificados respondidos com {status} nas últimas 24 horas: {count}, o último em {time}',
    ],
    [
      'the first is sent again until about {until}: count it as lost after that',
      'o primeiro é reenviado até cerca de {until}: depois disso, considere-o perdido',
    ],
    [`more causes: {count} ("${COMMAND} refusals list")`, `mais causas: {count} ("${COMMAND} refusals list")`],
  ],
  not_ready: [['{address} answers: not ready, {words}', '{address} responde que não está pronto: {words}']],
  'api.foreign': [
    [
      '{address} answers HTTP {status}, which is not this gateway',
      '{address} responde HTTP {status}: não é este gateway.',
    ],
  ],
  'forwarding.none': [
    [
      'there are none: events are stored and not forwarded',
      'Não há destino: os eventos são gravados e não encaminhados.',
    ],
    [
      'there are none: events are stored and not forwarded, and there is no consumer and no client that could poll',
      'Não há destino, nem consumidor, nem cliente que consulte os eventos: eles são gravados e não encaminhados.',
    ],
    ['no destination gets its events', 'Nenhum destino recebe os eventos dela.'],
  ],
  destination_paused: [
    ['paused: paused', ''],
    ['paused: {words}', 'O destino está pausado: {words}'],
  ],
  'destination.silent': [
    [
      '{address} accepts connections, but did not respond: {words}',
      '{address} aceita conexões, mas não respondeu: {words}',
    ],
  ],
  'destination.institution': [
    [
      'it gets no events: the configuration has no {kinds} of {institutions}',
      'O destino não recebe eventos: a configuração não tem {kinds} de {institutions}.',
    ],
  ],
  'oidc.unreachable': [['{issuer} gives no metadata: {words}', '{issuer} não responde com os seus metadados: {words}']],
  'service.public_url': [
    [
      `it is missing, so ${COMMAND} service registers no callback URL`,
      'Falta, por isso o Portaria não cadastra nenhuma URL de callback no serviço.',
    ],
    [
      'it is missing, so no notification URL is set at the service, and apps cannot route charges',
      'Falta, por isso nenhuma URL de notificação é definida no serviço, e os aplicativos não podem receber as notificações das suas cobranças.',
    ],
  ],
  'service.tokens': [
    [
      'resolveTokens is on, but {kinds} has no kind charge: no charge notification arrives',
      'resolveTokens está ligado, mas {kinds} não tem o tipo charge: nenhuma notificação de cobrança chega.',
    ],
    [
      'resolveTokens is on, but there is no charge listener: no charge notification arrives',
      'resolveTokens está ligado, mas não há listener de cobranças: nenhuma notificação de cobrança chega.',
    ],
    [
      'resolveTokens is on, but chargeNotifications.tokens has none of {realm}: no charge notification arrives',
      'resolveTokens está ligado, mas chargeNotifications.tokens não tem nenhum de {realm}: nenhuma notificação de cobrança chega.',
    ],
  ],
  'service.environment': [['it is the same in both environments, so one of them asks the wrong one', '']],
  'service.chain': [
    [
      '{key} has no chain for {environment}: the gateway refuses its callbacks',
      '{key} não tem cadeia para {environment}: o gateway recusa os callbacks desse ambiente.',
    ],
  ],
  outage: [
    ['no gateway ran from {from} to {to}', 'Nenhum gateway estava em execução de {from} a {to}'],
    ['callbacks were answered 503 from {from} to {to}', 'Callbacks foram respondidos com 503 de {from} a {to}'],
    ['no gateway ran since {from}', 'Nenhum gateway está em execução desde {from}'],
    ['callbacks were answered 503 since {from}', 'Callbacks são respondidos com 503 desde {from}'],
    ['with retries: {retries}, {words}', 'com retries: {retries}, {words}'],
    ['nothing is lost before {until}', 'nada se perde antes de {until}'],
    [
      'nothing is lost yet: the service sends again until {until}',
      'nada se perdeu até agora: o serviço reenvia até {until}',
    ],
    [
      'callbacks first sent from {first} to {last} may be lost',
      'callbacks enviados pela primeira vez de {first} a {last} podem estar perdidos',
    ],
    ['of the others the service sends again until {until}', 'os outros são reenviados até {until}'],
  ],
  'outside.untrusted_accepted': [
    [
      'a certificate that no server may trust was accepted: {words}',
      'Um certificado em que nenhum servidor deve confiar foi aceito: {words}',
    ],
  ],
  'outside.path': [
    ['{name}; none of its kinds has the path {path}', '{name}: nenhum dos tipos dela tem o caminho {path}'],
  ],
  'outside.certificate': [
    [
      'not ours: {served}, {print} is served, {file} holds none that can be read',
      'Não é o nosso: o apresentado é {served}, {print}; {file} não contém nenhum que possa ser lido',
    ],
    [
      'not ours: {served}, {print} is served, {file} holds {name}',
      'Não é o nosso: o apresentado é {served}, {print}; {file} contém {name}',
    ],
  ],
  'outside.old_tls': [['the server speaks it', '']],
  'outside.suffix': [
    [
      'the URL ends in {suffix}, and the service appends it again: its calls go to {path}, which is answered 404',
      'A URL termina em {suffix}, e o serviço o acrescenta de novo: as chamadas vão para {path}, que responde 404.',
    ],
    ['{words1}, but {words2} without it', 'Com o sufixo: {words1}; sem ele: {words2}'],
  ],
  'outside.name': [['{name} does not name {host}', '{name} não vale para {host}.']],
  'outside.sni': [
    ['another certificate or chain is sent: none', 'Sem o nome do host (SNI) nenhum certificado é enviado.'],
    ['another certificate or chain is sent: {name}', 'Sem o nome do host (SNI) é enviado outro certificado: {name}.'],
  ],
  'outside.not_tried': [
    ['not tried: no client certificate was given', 'Não foi testado: falta um certificado de cliente.'],
    ['could not be tried: no connection, or no response', 'Não pôde ser testado: sem conexão ou sem resposta.'],
    ['could not be tried', ''],
  ],
}
