import type { Texts } from '../../../translator.ts'

/** What the API, the listeners and the start of a gateway answer. */
export const API_MESSAGES: Texts = {
  'the access token has expired: get another from POST /oauth/token':
    'o token de acesso venceu: obtenha outro em POST /oauth/token',
  'the token was not issued by this gateway': 'o token não foi emitido por este gateway',
  'the client was revoked, or its secret was changed: its earlier tokens are invalid':
    'o cliente foi revogado, ou o segredo dele foi trocado: os tokens anteriores não valem mais',
  'the token is bound to another client certificate: use the certificate of the token request':
    'o token está vinculado a outro certificado de cliente: use o da requisição do token',
  'too many failures: wait {seconds} s; the right secret is accepted at once':
    'houve falhas demais: espere {seconds} s; o segredo certo é aceito na hora',
  'there is no client with this id and secret': 'não há nenhum cliente com este ID e este segredo',
  'the client certificate is that of another client or of an institution: use the one that was issued for this client':
    'o certificado de cliente é de outro cliente ou de uma instituição: use o que foi emitido para este cliente',
  'a client certificate trusted by api.clientCa is required: use it for this request, and for the token request':
    'é preciso um certificado de cliente em que api.clientCa confia: use-o nesta requisição e na do token',
  'grant_type is missing: send client_credentials': 'falta grant_type: envie client_credentials',
  'the only grant_type here is client_credentials': 'o único grant_type aqui é client_credentials',
  '{name} is there more than once': '{name} aparece mais de uma vez',
  'there are credentials in the Authorization header and in the body: send one of them':
    'há credenciais no cabeçalho Authorization e no corpo: envie só um dos dois',
  'no credentials: send client id and secret by HTTP Basic, or as client_id and client_secret':
    'faltam credenciais: envie o ID e o segredo do cliente por HTTP Basic, ou como client_id e client_secret',
  'this is not the operator token': 'este não é o token do operador',
  "the gateway's access to the service is not complete": 'o acesso do gateway ao serviço está incompleto',
  'the gateway cannot reach the service': 'o serviço está inacessível para o gateway',
  'the TLS handshake between the gateway and the service failed': 'o handshake TLS entre o gateway e o serviço falhou',
  "the service does not accept the gateway's certificate": 'o serviço não aceita o certificado do gateway',
  "the service does not accept the gateway's credentials": 'o serviço não aceita as credenciais do gateway',
  "the gateway's application at the service lacks the scope for this change":
    'falta ao aplicativo do gateway no serviço o escopo para esta alteração',
  'the service takes no more requests of the gateway for now':
    'o serviço não aceita mais requisições do gateway por enquanto',
  "the service does not permit the gateway's application this change":
    'o serviço não permite esta alteração ao aplicativo do gateway',
  'the service gave an answer that the gateway cannot read':
    'o serviço deu uma resposta que o gateway não consegue ler',
  'the service gave no answer in time': 'o serviço não respondeu a tempo',
  'the request cannot be read: check its JSON and the percent-encoding of its path':
    'a requisição não pode ser lida: confira o JSON e a codificação com % do caminho',
  'the body is too large for this endpoint': 'o corpo é grande demais para este endpoint',
  'send JSON (content-type: application/json) in UTF-8, without a content-encoding':
    'envie JSON (content-type: application/json) em UTF-8, sem content-encoding',
  'is unknown: remove it, or correct its name': 'é desconhecido: remova-o ou corrija o nome',
  'is longer than {count} characters: shorten it': 'tem mais de {count} caracteres: encurte-a',
  'has a space, backslash or control character: remove it':
    'tem um espaço, uma barra invertida ou um caractere de controle: remova-o',
  'cannot be read: write it like https://example.com/path':
    'não pode ser lida: escreva-a como https://example.com/path',
  "has credentials: use the destination's headers for them": 'tem credenciais: use para elas os cabeçalhos do destino',
  'has a fragment (#…), which is never sent: remove it': 'tem um fragmento (#…), que nunca é enviado: remova-o',
  'has *** for a value in its query: write the value itself':
    'tem *** no lugar de um valor na query: escreva o próprio valor',
  'there is no mute {id}, or it has ended': 'o silenciamento {id} não existe ou já terminou',
  'no channel is configured: write one into the section alarms, and reload':
    'nenhum canal está configurado: inclua um na seção alarms e recarregue',
  'no gateway runs that could send: start it': 'nenhum gateway que possa enviar está em execução: inicie-o',
  'there is no channel {id}: {names}': 'não há nenhum canal {id}: {names}',
  'a subject needs a code: write the one of its alarm, or no subject':
    'subject exige code: informe o do alarme dele, ou retire subject',
  'there are {most} mutes already: end one, or mute a whole code':
    'já há {most} silenciamentos: termine um, ou silencie um código inteiro',
  'too many bytes of earlier answers wait to be read: read them, or ask for smaller pages, and try again later':
    'há bytes demais de respostas anteriores à espera de leitura: leia-as ou peça páginas menores, e tente de novo mais tarde',
  'this is not a valid HTTP request: {request}': 'esta não é uma requisição HTTP válida: {request}',
  '{reason}, and too many such tokens came from this address: wait {address} s; a valid token is accepted at once':
    '{reason}, e vieram deste endereço muitos tokens assim: espere {address} s; um token válido é aceito imediatamente',
  'only the operator may do this: no scope permits it to clients':
    'só o operador pode fazer isto: nenhum escopo o permite a clientes',
  'the access token lacks the scope {scopes}: ask for a token that has it':
    'falta ao token de acesso o escopo {scopes}: peça um token que o tenha',
  'the access token lacks the scope {scopes}: ask for a token that has it; support.read opens GET /v1/events, /v1/events/:id, /v1/events/:id/deliveries and /v1/subjects alone':
    'falta ao token de acesso o escopo {scopes}: peça um token que o tenha; support.read só permite GET /v1/events, /v1/events/:id, /v1/events/:id/deliveries e /v1/subjects',
  'send the operator\'s token (api.operatorTokenFile), or an access token from POST /oauth/token, as "Authorization: Bearer …"':
    'envie o token do operador (api.operatorTokenFile), ou um token de acesso de POST /oauth/token, como "Authorization: Bearer …"',
  'send the operator\'s token (api.operatorTokenFile), or an access token from POST /oauth/token, as "Authorization: Bearer …"; no operator token is configured: set api.operatorTokenFile':
    'envie o token do operador (api.operatorTokenFile), ou um token de acesso de POST /oauth/token, como "Authorization: Bearer …"; nenhum token do operador está configurado: defina api.operatorTokenFile',
  'api.operatorTokenFile {file}: the token must be at least {most} letters and digits; make one with: openssl rand -hex 32':
    'api.operatorTokenFile {file}: o token deve ter pelo menos {most} letras e dígitos; crie um com: openssl rand -hex 32',
  'api.operatorTokenFile {file} cannot be made: {error}; let this user write there, or name another file':
    'api.operatorTokenFile {file} não pode ser criado: {error}; permita que este usuário grave ali, ou informe outro arquivo',
  'cannot be read: {error}; {advice}': 'não pode ser lido: {error}; {advice}',
  'there is no event {id}': 'não há nenhum evento {id}',
  'name one of your destinations: ?destination=NAME (only operations.write permits replays to all at once)':
    'informe um dos seus destinos: ?destination=NOME (só operations.write permite reenvios a todos de uma vez)',
  'with support.replay an event is sent again only to destinations that have a delivery of it; events.replay sends it to others':
    'com support.replay um evento só é enviado de novo a destinos que têm uma entrega dele; com events.replay, também a outros',
  '{name} does not receive events of {environment}': '{name} não recebe eventos de {environment}',
  'there is no delivery {id}': 'não há nenhuma entrega {id}',
  'events of kind operator report on the whole gateway: they require operations.read':
    'eventos do tipo operator informam sobre o gateway inteiro: eles exigem operations.read',
  'the client belongs to {environment}: it cannot read events of {environment2}':
    'o cliente é de {environment}: ele não pode ler eventos de {environment2}',
  'the client belongs to {names}: its destinations cannot receive events of {one}':
    'o cliente é de {names}: os seus destinos não podem receber eventos de {one}',
  'the gateway does not serve this': 'o gateway não tem isto',
  '{error}; run "{command} check" on the gateway\'s machine':
    '{error}; execute "{command} check" na máquina do gateway',
  'no check has run since the gateway started: ask without "latest"':
    'nenhuma verificação foi feita desde o início do gateway: peça sem "latest"',
  'there is no client {id}: {command} clients list shows all':
    'não há nenhum cliente {id}: {command} clients list mostra todos',
  'the maximum number of consumers is reached: delete an unused one':
    'o número máximo de consumidores foi atingido: exclua um que não é usado',
  'this batch is not leased: it was acknowledged, has expired, or the consumer was moved; unacknowledged events are delivered again':
    'este lote não tem concessão: ele foi confirmado, expirou, ou o consumidor foi movido; eventos não confirmados são entregues de novo',
  'there is no consumer {id}': 'não há nenhum consumidor {id}',
  'the position is wrong': 'a posição está errada',
  'there is no destination {id}: {command} destinations list shows all':
    'não há nenhum destino {id}: {command} destinations list mostra todos',
  'several clients have a destination named {name}: use the id ({names})':
    'vários clientes têm um destino chamado {name}: use o ID ({names})',
  '{name} stays paused: {destination}': '{name} continua pausado: {destination}',
  'one of {names}': 'um de {names}',
  'the test': 'o teste',
  'not with order=desc, which reads back from the newest event: wait for new events with order=asc':
    'não com order=desc, que lê para trás a partir do evento mais recente: espere novos eventos com order=asc',
  'the query is wrong': 'a consulta está errada',
  'not with search: leave one of them out': 'não com search: tire um dos dois',
  'not with deliveryState or destination, which find what is stored: leave it out':
    'não com deliveryState ou destination, que procuram o que está gravado: retire-o',
  'the event has no delivery to a destination {id}: GET /v1/events/{eventId}/deliveries shows all':
    'o evento não tem entrega ao destino {id}: GET /v1/events/{eventId}/deliveries mostra todas',
  'several destinations have the name {name}: use the id ({names})':
    'vários destinos têm o nome {name}: use o ID ({names})',
  '{count} requests wait already: ask again later, or without "wait"':
    'já há {count} requisições à espera: pergunte de novo mais tarde, ou sem "wait"',
  '{count} requests of this client wait already, and no client may have more: let fewer of your processes wait at once, or ask without "wait"':
    'já há {count} requisições deste cliente à espera, e nenhum cliente pode ter mais: deixe menos processos esperarem ao mesmo tempo, ou pergunte sem "wait"',
  'not with search, which answers newest first: leave order out':
    'não com search, que responde com os mais recentes primeiro: retire order',
  'not with search, which finds what is stored: wait for new events with the other filters':
    'não com search, que procura o que está gravado: espere novos eventos com os outros filtros',
  'not with search: leave it out to begin with the newest event, or write "next" of an earlier answer':
    'não com search: retire-o para começar no evento mais recente, ou informe "next" de uma resposta anterior',
  'is after all events, so the cursor comes from another database: start without after and deduplicate by id, or start with after=latest':
    'está depois de todos os eventos: o cursor vem de outro banco de dados. Comece sem after e elimine os duplicados pelo ID, ou comece com after=latest',
  'send the id of a message of this stream': 'envie o ID de uma mensagem deste stream',
  'the header Last-Event-ID is wrong': 'o cabeçalho Last-Event-ID está errado',
  'too many request bodies are being read: try again later':
    'há corpos de requisição demais sendo lidos: tente de novo mais tarde',
  'unknown; known are {names}': 'desconhecido; são aceitos {names}',
  'unknown; this takes no query': 'desconhecido; aqui não há parâmetros de query',
  '{method} is not allowed for this path: use {names}': '{method} não é permitido neste caminho: use {names}',
  'the Host header names {given}, which is not a name of this API: use localhost or a loopback address, or add the name to api.hostNames':
    'o cabeçalho Host tem {given}, que não é um nome desta API: use localhost ou um endereço de loopback, ou inclua o nome em api.hostNames',
  "the control socket's path {path} is longer than the 107 bytes that the system allows: give storage.url, or with PostgreSQL node.folder, a shorter folder":
    'o caminho do socket de controle, {path}, tem mais que os 107 bytes que o sistema permite: dê a storage.url, ou com PostgreSQL a node.folder, uma pasta mais curta',
  'another gateway answers at {path}: give each database a folder of its own, with PostgreSQL each node (node.folder)':
    'outro gateway responde em {path}: dê a cada banco de dados uma pasta própria; com PostgreSQL, a cada nó (node.folder)',
  'cannot listen on {place}: {error}; free it, or choose another':
    'não é possível escutar em {place}: {error}; libere o endereço, ou escolha outro',
  'there is no {id} in quarantine': 'não há {id} em quarentena',
  'the client belongs to {environment}: it cannot expect callbacks of {environment2}':
    'o cliente é de {environment}: ele não pode esperar callbacks de {environment2}',
  'the expected subject is not valid': 'o assunto esperado não é válido',
  'is not reconciled: no environment is': 'não é reconciliado: nenhum ambiente é',
  'is not reconciled: {names} are': 'não é reconciliado: {names} são',
  'is not reconciled: {names} is': 'não é reconciliado: {names} é',
  'the request is not valid': 'a requisição não é válida',
  'there is no refusal {id}': 'não há nenhuma recusa {id}',
  'the registration is not valid': 'o cadastro não é válido',
  'the configuration has no callbacks of this kind': 'a configuração não tem callbacks deste tipo',
  '{name} has registered this URL already: {name2}': '{name} já cadastrou esta URL: {name2}',
  'the client {id} is revoked': 'o cliente {id} está revogado',
  'the replay is not valid': 'o reenvio não é válido',
  'there is no such event': 'não existe esse evento',
  'there is no replay {id}': 'não há nenhum reenvio {id}',
  'the client belongs to {environment}: it cannot change charges of {environment2}':
    'o cliente é de {environment}: ele não pode alterar cobranças de {environment2}',
  'this answer is an event stream: send "Accept: text/event-stream" or no Accept header, or poll the same data as JSON':
    'esta resposta é um stream de eventos: envie "Accept: text/event-stream" ou nenhum cabeçalho Accept, ou consulte os mesmos dados como JSON',
  'the gateway is stopping: connect again in a moment': 'o gateway está parando: conecte-se de novo em instantes',
  '{count} event streams are open already: connect again later, or poll':
    'já há {count} streams de eventos abertos: conecte-se de novo mais tarde, ou consulte sem stream',
  '{count} event streams of this client are open already, and no client may have more: close one, or share one among your processes':
    'já há {count} streams de eventos deste cliente abertos, e nenhum cliente pode ter mais: feche um, ou compartilhe um entre os seus processos',
  '{count} event streams from {address} are open already, half of api.limits.connectionsPerAddress: close one, or raise the limit':
    'já há {count} streams de eventos de {address} abertos, a metade de api.limits.connectionsPerAddress: feche um, ou aumente o limite',
  'the folder {folder} for the control socket cannot be created: {error}; correct node.folder':
    'a pasta {folder} para o socket de controle não pode ser criada: {error}; corrija node.folder',
  'the gateway is starting: ask again in a moment': 'o gateway está iniciando: pergunte de novo em instantes',
  "the certificate in the file {now}, the one in use is valid: install a current one, or check this machine's clock":
    'o certificado no arquivo {now}; o que está em uso é válido: instale um atual, ou verifique o relógio desta máquina',
  'a socket was passed for charges, but the configuration has no chargeNotifications: write that section, or disable the socket unit':
    'um socket foi passado para cobranças, mas a configuração não tem chargeNotifications: escreva essa seção, ou desative a unit do socket',
  'the process may open {limit} files and connections, and needs at least {least}: raise the limit (LimitNOFILE= of the unit, ulimit -n, --ulimit nofile= of a container)':
    'o processo pode abrir {limit} arquivos e conexões, e precisa de pelo menos {least}: aumente o limite (LimitNOFILE= da unit, ulimit -n, --ulimit nofile= de um contêiner)',
  'a long read of the database keeps its write-ahead log from shrinking, and writing would fill the disk: this waits until the read ends':
    'uma leitura longa do banco de dados impede que o log de gravação (WAL) diminua, e gravar encheria o disco: isto espera o fim da leitura',
  'no disk space for the search index': 'não há espaço em disco para o índice de busca',
  'no disk space for entries': 'não há espaço em disco para registros',
  'another node asks the service at present: run the command there; portaria nodes list shows which node has the jobs':
    'outro nó está consultando o serviço: execute o comando lá; portaria nodes list mostra qual nó tem as tarefas',
  'standard output cannot be written: {error}': 'não é possível escrever na saída padrão: {error}',
  'cannot listen on {place}: {error}; {advice}': 'não é possível escutar em {place}: {error}; {advice}',
  'a socket was passed that is none of TCP: write ListenStream= with a port into its unit':
    'um socket que não é TCP foi passado: escreva ListenStream= com uma porta na unit dele',
  '{count} requests of this client wait already: ask again later':
    'já há {count} requisições deste cliente à espera: pergunte de novo mais tarde',
  'The list of authorities is empty: give at least one certificate':
    'A lista de autoridades está vazia: informe pelo menos um certificado',
  'the bodies that are being received and the callbacks that wait for the disk exceed storage.queue.bytes':
    'os corpos que estão sendo recebidos e os callbacks que esperam o disco excedem storage.queue.bytes',
  'api.operatorTokenFile {file} {words}': 'api.operatorTokenFile {file} {words}',
  'make it with: {command}': 'crie-o com: {command}',
  'the socket that was passed for api {problem}': 'o socket passado para api {problem}',
  'is none of TCP: write ListenStream= with a port into its unit':
    'não é TCP: escreva ListenStream= com uma porta na unit dele',
  'listens on {address}, which is not a loopback address, so the API must have TLS: add certificate and privateKey, or write ListenStream=127.0.0.1:{port} into its unit':
    'escuta em {address}, que não é um endereço de loopback; por isso a API precisa de TLS: inclua certificate e privateKey, ou escreva ListenStream=127.0.0.1:{port} na unit dele',
  'the client is not valid': 'o cliente não é válido',
  'the change is not valid': 'a alteração não é válida',
  'the mute is not valid': 'o silenciamento não é válido',
  'the chain is not valid': 'a cadeia não é válida',
  'the redaction is not valid': 'a remoção não é válida',
  'the rotation is not valid': 'a troca do segredo não é válida',
  'the seek is not valid': 'a mudança de posição não é válida',
  'the acknowledgment is not valid': 'a confirmação não é válida',
  'the test is not valid': 'o teste não é válido',
  'the request for a batch is not valid': 'a requisição de um lote não é válida',
  'the request for a test is not valid': 'a requisição de um teste não é válida',
  'the request to unmask an event is not valid': 'a requisição para mostrar os dados de um evento não é válida',
  'there is no such destination: GET /v1/destinations ({command} destinations list) shows all':
    'esse destino não existe: GET /v1/destinations ({command} destinations list) mostra todos',
}
