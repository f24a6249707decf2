import type { Texts } from '../../../translator.ts'

/** What commands did, as their result says it. */
export const RESULTS_MESSAGES: Texts = {
  'Client secret, which cannot be shown again:': 'Segredo do cliente, que não pode ser mostrado de novo:',
  '{name} is revoked': '{name} está revogado',
  'its certificate is valid until {day} and opens connections; to revoke it: {command} certs revoke {serial}':
    'o certificado dele vale até {day} e abre conexões; para revogá-lo: {command} certs revoke {serial}',
  'its destination {name} still receives events; to stop that: {command} destinations delete {name}':
    'o destino {name}, dele, ainda recebe eventos; para encerrar isso: {command} destinations delete {name}',
  '✓ {file} is right': '✓ {file} está certo',
  '✗ {file} has one mistake; config/portaria.yaml explains every key':
    '✗ {file} tem um erro; config/portaria.yaml explica cada chave',
  '✗ {file} has {count} mistakes; config/portaria.yaml explains every key':
    '✗ {file} tem {count} erros; config/portaria.yaml explica cada chave',
  '{name} is deleted': '{name} foi excluído',
  '{id} is skipped': '{id} foi pulada',
  '{id} is due now': '{id} será enviada agora',
  '{id} is pending again; it {waits}': '{id} está pendente de novo; ela {waits}',
  'Signing secret, for verifying signatures (Standard Webhooks):':
    'Segredo de assinatura, para verificar assinaturas (Standard Webhooks):',
  'Try it: {command} destinations test {name}': 'Para testar: {command} destinations test {name}',
  'deleted {name}': '{name} foi excluído',
  '{name} is active': '{name} está ativo',
  '{name} is paused': '{name} está pausado',
  'the new signing secret of {name}, for verifying signatures (Standard Webhooks):':
    'o novo segredo de assinatura de {name}, para verificar assinaturas (Standard Webhooks):',
  'The old secret also signs until {time}': 'O segredo antigo também assina até {time}',
  'The old secret also signs until now': 'O segredo antigo não assina mais',
  "the caller's certificate": 'o certificado do chamador',
  'in quarantine': 'em quarentena',
  '{id} is discarded': '{id} foi descartado',
  '{id} is {event} now': '{id} agora é {event}',
  '{id} is a duplicate of {event}: there is no new event': '{id} repete {event}: não há evento novo',
  '{id} is canceled': '{id} foi cancelado',
  '{id} is canceled; attempts under way, which may still arrive: {count}':
    '{id} foi cancelado; tentativas em andamento, que ainda podem chegar: {count}',
  '{id} is ended': '{id} terminou',
  'wrote the private key {file}: it stays on this machine; keep a copy of it where you keep secrets':
    'chave privada gravada em {file}: ela fica nesta máquina; guarde uma cópia onde você guarda segredos',
  'wrote the request {file}': 'pedido gravado em {file}',
  'Next: send {file} to your certificate authority (never the key). With what it sends back:':
    'A seguir: envie {file} à sua autoridade certificadora (nunca a chave). Com o que ela devolver:',
  'wrote {file}: the private key and {count} certificates; treat it as a secret':
    'gravado {file}: a chave privada e {count} certificados; trate-o como um segredo',
  'valid; nothing was written (--dry-run)': 'válido; nada foi gravado (--dry-run)',
  'kept the old file: {path}': 'o arquivo antigo foi guardado: {path}',
  'nothing to change: these are installed already': 'nada a alterar: estes já estão instalados',
  'installed {names}': 'instalado: {names}',
  'installed {one} and {other}': 'instalados: {one} e {other}',
  '{name} was staged and is retired; the trusted chains did not change':
    '{name} estava preparada e foi retirada; as cadeias confiáveis não mudaram',
  '{done}. The running gateway has applied it.': '{done}. O gateway em execução já aplicou a mudança.',
  '{done}. No gateway is running; it applies at the next start.':
    '{done}. Nenhum gateway está em execução; vale no próximo início.',
  'Published at {url}': 'Publicado em {url}',
  'SHA-256 of the file: {hash}': 'SHA-256 do arquivo: {hash}',
  'The published chain is trusted already: there is nothing to activate.':
    'A cadeia publicada já é confiável: não há nada para ativar.',
  'Nothing is trusted yet. Compare the SHA-256 with the one that the service gives you over another channel, then:':
    'Nada é confiável ainda. Compare o SHA-256 com o que o serviço lhe dá por outro canal; depois:',
  'Staged as {name} ({file}); nothing is trusted yet. Next:':
    'Preparada como {name} ({file}); nada é confiável ainda. A seguir:',
  '(too narrow for: {names}; --json shows all)': '(sem espaço para: {names}; --json mostra tudo)',
  'Everything that this tour created is removed. What to try next:':
    'Tudo o que esta demonstração criou foi removido. O que testar a seguir:',
  'event {id}': 'evento {id}',
  'delivery {id}': 'entrega {id}',
  'A gateway and the simulated service run on this machine, for development and tests, NEVER FOR PRODUCTION.':
    'Um gateway e o serviço simulado estão em execução nesta máquina, para desenvolvimento e testes, NUNCA EM PRODUÇÃO.',
  'Open the first one: its button registers the gateway at the service and sends a first payment.':
    'Abra o primeiro: o botão dele cadastra o gateway no serviço e envia um primeiro pagamento.',
  "The gateway asks for the operator's token, which is in {file}":
    'O gateway pede o token do operador, que está em {file}',
  'Everything is in {folder}.': 'Tudo está em {folder}.',
  'Ctrl-C stops both.': 'Ctrl-C encerra os dois.',
  '"portaria playground --any-ports" takes free ports instead': '"portaria playground --any-ports" usa portas livres',
  '--profile and --api exclude each other: a profile has its own address':
    '--profile e --api não podem ser usadas juntas: um perfil tem o seu próprio endereço',
  '--token-file, --api-ca, --api-cert and --api-key are for --api URL: add it, or leave them out':
    '--token-file, --api-ca, --api-cert e --api-key valem com --api URL: inclua --api, ou retire-as',
  "this command works only on the gateway's machine, and {option} names a gateway by its API: run it there ({command} on that machine), or name its file with --config":
    'este comando só funciona na máquina do gateway, e {option} indica um gateway pela API: execute-o lá ({command} naquela máquina), ou informe o arquivo dele com --config',
  "this command works only on the gateway's machine, and {option} names a gateway by its API: run it there ({command} on that machine), or leave {other} out":
    'este comando só funciona na máquina do gateway, e {option} indica um gateway pela API: execute-o lá ({command} naquela máquina), ou retire {other}',
  '{api} is saved as the profile {name}, in {file}': '{api} foi salvo como o perfil {name}, em {file}',
  'Signed in as {name}': 'Entrou como {name}',
  'Use it with --profile {name}, or with: {command}': 'Use-o com --profile {name}, ou com: {command}',
  'It may: {scopes}': 'Ele pode: {scopes}',
  'no profiles; make one with: {command} login URL': 'nenhum perfil; crie um com: {command} login URL',
  'the profile {name} is removed; its secret stays valid until it is rotated or revoked at the gateway':
    'o perfil {name} foi removido; o segredo dele continua válido até ser trocado ou revogado no gateway',
  'there is no profile {name}': 'não há nenhum perfil {name}',
  'there is no profile {name}: make it with "{command} login URL --profile {name}"':
    'não há nenhum perfil {name}: crie-o com "{command} login URL --profile {name}"',
  'there is no profile {name} (there is {names}): make it with "{command} login URL --profile {name}"':
    'não há nenhum perfil {name} (há {names}): crie-o com "{command} login URL --profile {name}"',
  '{file} holds a secret, and other users may read it: chmod 600 {file}, and change the secret':
    '{file} contém um segredo, e outros usuários podem lê-lo: chmod 600 {file}, e troque o segredo',
  '{file} cannot be read: {error}': '{file} não pode ser lido: {error}',
  '{file} is damaged: run "{command} login" again': '{file} está danificado: execute "{command} login" de novo',
  '{message}; nothing is missed: it goes on when the gateway answers again':
    '{message}; nada se perde: continua quando o gateway responder de novo',
  '{address} answers again': '{address} responde de novo',
  '{id}: {count} events for {name}; it starts with the gateway, which is not running':
    '{id}: {count} eventos para {name}; ele começa com o gateway, que não está em execução',
  '{id}: {count} events for {name}, in the background': '{id}: em segundo plano, eventos para {name}: {count}',
  '{id} is {state}: {count} deliveries to {name} were created':
    '{id} está no estado {state}: {count} entregas a {name} foram criadas',
  '{id} is {state} ({reason}): {count} deliveries to {name} were created':
    '{id} está no estado {state} ({reason}): {count} entregas a {name} foram criadas',
  '{count} events for {name}': 'eventos para {name}: {count}',
  'events left out, because their deliveries still wait or are being recorded: {count}':
    'eventos deixados de fora, porque suas entregas ainda esperam ou estão sendo registradas: {count}',
  'a socket was passed that is named "{name}": write FileDescriptorName=callbacks, charges or api into its unit':
    'foi passado um socket chamado "{name}": escreva FileDescriptorName=callbacks, charges ou api na unit dele',
  '{count} id is expected': '{count} ID é esperado',
  '{count} ids are expected': '{count} IDs são esperados',
  '{count} id is expected, {added} of them since earlier': '{count} ID é esperado, {added} deles desde antes',
  '{count} ids are expected, {added} of them since earlier': '{count} IDs são esperados, {added} deles desde antes',
  'openings that wait or were refused, the service does not tell which:':
    'aberturas de conta que esperam ou foram recusadas; o serviço não diz qual:',
  'the record has no address': 'o registro não tem endereço',
  'the record has another address than --old-url': 'o registro tem outro endereço que não --old-url',
  '{count} not tried: repeat the command with the same --report':
    '{count} não foram tentados: repita o comando com o mesmo --report',
  '{count} done in an earlier run': '{count} feitos em uma execução anterior',
  'no id: nothing to do': 'nenhum ID: nada a fazer',
  'nothing is set yet': 'nada está definido ainda',
  'only shown, nothing was changed': 'só mostrado, nada foi alterado',
  '✓ set: the service has these settings': '✓ definido: o serviço tem estas configurações',
  '✓ deleted': '✓ excluído',
  '{file} has no callbacks.publicUrl: write the address under which the service reaches the gateway, such as https://hooks.example.com':
    '{file} não tem callbacks.publicUrl: escreva o endereço em que o serviço alcança o gateway, por exemplo https://hooks.example.com',
  '{file} has no chargeNotifications.publicUrl: write the address under which the service reaches the charge listener, such as https://hooks.example.com:8444, or give the address with --url':
    '{file} não tem chargeNotifications.publicUrl: escreva o endereço em que o serviço alcança o listener de cobranças, por exemplo https://hooks.example.com:8444, ou informe o endereço com --url',
  'nothing is reconciled: config/portaria.yaml shows service[].reconcile':
    'nada é reconciliado: config/portaria.yaml mostra service[].reconcile',
  'no environment has an entry under service in the configuration; config/portaria.yaml shows one':
    'nenhum ambiente tem uma entrada em service na configuração; config/portaria.yaml mostra uma',
  '{file}: {bytes}, {events} events and {deliveries} deliveries; opened and checked':
    '{file}: {bytes}, {events} eventos e {deliveries} entregas; aberto e verificado',
  'It holds every payload, the secrets of the destinations and the key of access tokens: keep it as safe as the database.':
    'Ele contém todos os conteúdos, os segredos dos destinos e a chave dos tokens de acesso: proteja-o tanto quanto o banco de dados.',
  'Configuration and certificates are separate files, which are not in it.':
    'A configuração e os certificados são arquivos separados, que não estão nele.',
  'the clock says {clock}: removal and expiry by age continue':
    'o relógio mostra {clock}: as remoções e os vencimentos por idade continuam',
  'the clock says {clock}: it was not in doubt, nothing changes':
    'o relógio mostra {clock}: ele não estava em dúvida, nada muda',
  'Continue with {file} as it is, and give up missing events up to position {position}, which was known at {time}?':
    'Continuar com {file} como está, e desistir dos eventos que faltam até a posição {position}, conhecida em {time}?',
  'Create a new database {file}, and give up missing events up to position {position}, which was known at {time}?':
    'Criar um novo banco de dados {file}, e desistir dos eventos que faltam até a posição {position}, conhecida em {time}?',
  '{file} holds no events; position {position} was known. Missing events stay missing: ask the service to send them again.':
    '{file} não contém eventos; a posição {position} era conhecida. Eventos que faltam continuam faltando: peça ao serviço que os envie de novo.',
  '{file} holds events up to position {position}; position {known} was known. Missing events stay missing: ask the service to send them again.':
    '{file} contém eventos até a posição {position}; a posição {known} era conhecida. Eventos que faltam continuam faltando: peça ao serviço que os envie de novo.',
  'Every poller gets 410 once, because events may be lost. Start the gateway.':
    'Cada aplicativo que consulta recebe 410 uma vez, porque eventos podem ter se perdido. Inicie o gateway.',
  'interrupted: nothing was written': 'interrompido: nada foi gravado',
  '{count} events': '{count} eventos',
  '{count} events, up to {id} of {time}': '{count} eventos, até {id} de {time}',
  'Write this into the configuration, then start the gateway:':
    'Escreva isto na configuração, e depois inicie o gateway:',
  'removed so far; then it stopped: {problem}; the rest is removed later, or by the next prune':
    'removidos até agora; então parou: {problem}; o resto é removido mais tarde, ou pelo próximo prune',
  'only counted, nothing was removed': 'só contados, nada foi removido',
  '{count} callbacks are old enough but stay, because a part of them is not finished':
    '{count} callbacks já têm idade para sair, mas ficam, porque uma parte deles não terminou',
  'redacted {subject}: {what}; {canceled} deliveries were canceled':
    'dados de {subject} removidos: {what}; {canceled} entregas foram canceladas',
  '{events} events, and {facts} facts that are or were in quarantine':
    '{events} eventos, e {facts} fatos que estão ou estiveram em quarentena',
  '{events} events, and {facts} facts that are or were in quarantine of {subject}':
    '{events} eventos, e {facts} fatos que estão ou estiveram em quarentena, de {subject}',
  'This permanently removes the data of {subject}: {what}. Redact it?':
    'Isto remove definitivamente os dados de {subject}: {what}. Remover?',
  'another process reads the database (a backup?), so data may remain in its write-ahead log: run this again when that has ended':
    'outro processo lê o banco de dados (um backup?), e dados podem ter ficado no log de gravação (WAL): execute de novo quando ele terminar',
  'Backups, logs and copies that others received are not touched.':
    'Backups, logs e cópias que outros receberam não são alterados.',
  'the search index is made again: {size}, events up to position {position}':
    'o índice de busca foi refeito: {size}, eventos até a posição {position}',
  'interrupted at position {position} of {latest}: the gateway continues in the background':
    'interrompido na posição {position} de {latest}: o gateway continua em segundo plano',
  'interrupted at position {position} of {latest}: the gateway continues with it when it starts ({command} serve)':
    'interrompido na posição {position} de {latest}: o gateway continua quando iniciar ({command} serve)',
  'Create {file} from {backup} ({what})?': 'Criar {file} a partir de {backup} ({what})?',
  'Replace {file} ({size}, kept aside) by {backup} ({what})?':
    'Substituir {file} ({size}, que é guardado) por {backup} ({what})?',
  '{file} is restored from {backup}: {events} events and {deliveries} deliveries':
    '{file} foi restaurado de {backup}: {events} eventos e {deliveries} entregas',
  'The old database is kept as {file}: remove it when you no longer need it.':
    'O banco de dados antigo foi guardado como {file}: remova-o quando não precisar mais dele.',
  'Callbacks that came after the backup are missing: ask the service to send them again. Deliveries made since then may be sent':
    'Faltam os callbacks que chegaram depois do backup: peça ao serviço que os envie de novo. Entregas feitas desde então podem ser enviadas',
  'or rotated since then are valid again, and redacted data is back: redact it again. Start the gateway; under systemd with its sockets: systemctl start portaria.socket portaria.service':
    'ou trocados desde então valem de novo, e dados removidos voltaram: remova-os de novo. Inicie o gateway; sob o systemd, com os sockets: systemctl start portaria.socket portaria.service',
  'every event checked': 'todos os eventos verificados',
  'search index checked': 'índice de busca verificado',
  '{file} is not sound:': '{file} está danificado:',
  'Stop the gateway, keep the files as they are, and restore a backup; check the disk.':
    'Pare o gateway, mantenha os arquivos como estão, e restaure um backup; verifique o disco.',
  '{file} is sound: {events} events of {callbacks} callbacks, {deliveries} deliveries':
    '{file} está íntegro: {events} eventos de {callbacks} callbacks, {deliveries} entregas',
  'An older Portaria wrote it: its invariants can be checked once the gateway has migrated it.':
    'Um Portaria mais antigo o gravou: as invariantes dele podem ser verificadas depois que o gateway o migrar.',
  'The search index differs from the events:': 'O índice de busca difere dos eventos:',
  'The events are not affected. Make the index again: {command} storage reindex':
    'Os eventos não são afetados. Refaça o índice: {command} storage reindex',
  'The events are not affected. After a restore make the index again: {command} storage reindex':
    'Os eventos não são afetados. Depois de restaurar, refaça o índice: {command} storage reindex',
  'The search index is empty: the gateway fills it': 'O índice de busca está vazio: o gateway o preenche',
  'The search index agrees with the events: {count} are in it':
    'O índice de busca corresponde aos eventos: {count} estão nele',
  'The search index agrees with the events: {count} are in it; it is being made again, and its older part was searched only for removed data':
    'O índice de busca corresponde aos eventos: {count} estão nele; ele está sendo refeito, e na sua parte antiga só se procuraram dados removidos',
  "the gateway's own address is longer than the {most} characters that the service takes: its operator can shorten chargeNotifications.publicUrl or the token":
    'o endereço do próprio gateway é mais longo que os {most} caracteres que o serviço aceita: o operador pode encurtar chargeNotifications.publicUrl ou o token',
  'the search has {count} characters: type at most {most}, such as the id alone':
    'a busca tem {count} caracteres: digite no máximo {most}, por exemplo só o ID',
  'the search has {count} words: type at most {most}; the rarest ones find an event alone':
    'a busca tem {count} palavras: digite no máximo {most}; as mais raras bastam para encontrar um evento',
  '{answer} (sent again)': '{answer} (enviado de novo)',
  '{answer} (attempt {attempt})': '{answer} (tentativa {attempt})',
  'again in {seconds} s': 'de novo em {seconds} s',
  'The digest is the SHA-256 of the fields in order: each as its length in bytes (4 bytes, big-endian) and its bytes in UTF-8, null as ff ff ff ff. The hash is the SHA-256 of the 32 bytes of the previous hash and the 32 bytes of the digest. payloadHash is the SHA-256 of the payload, peerFingerprint that of the certificate in DER form.':
    'O digest é o SHA-256 dos campos em ordem: cada um com o seu comprimento em bytes (4 bytes, big-endian) e os seus bytes em UTF-8, null como ff ff ff ff. O hash é o SHA-256 dos 32 bytes do hash anterior e dos 32 bytes do digest. payloadHash é o SHA-256 do conteúdo, peerFingerprint o do certificado em DER.',
  '--json prints all of it for programs, the payload byte for byte.':
    '--json imprime tudo para programas, o conteúdo byte a byte.',
  'It is sound: its hash matches the fields above, and the payload hash matches the payload if that is still kept.':
    'Ele está íntegro: o hash corresponde aos campos acima, e o hash do conteúdo corresponde ao conteúdo, se este ainda é guardado.',
  'It is NOT what was stored: its hash, or that of its payload, does not match the fields above. See {command} storage verify --chain.':
    'Ele NÃO é o que foi gravado: o hash dele, ou o do conteúdo, não corresponde aos campos acima. Veja {command} storage verify --chain.',
  "the server turned the certificate away: install the chain of your certificate's issuer at the server, give the full chain with --cert, and look at the server's own record of refused callers":
    'o servidor recusou o certificado: instale no servidor a cadeia do emissor do seu certificado, informe a cadeia completa com --cert, e veja o registro de chamadores recusados do próprio servidor',
  'copied {from} to {to}: {events} events of {callbacks} callbacks, {deliveries} deliveries':
    'copiado de {from} para {to}: {events} eventos de {callbacks} callbacks, {deliveries} entregas',
  '{from} was not changed. A gateway that is started with it again would go on beside the copy: keep it until the first backup of the copy, then remove it.':
    '{from} não foi alterado. Um gateway iniciado de novo com ele continuaria ao lado da cópia: guarde-o até o primeiro backup da cópia, e depois remova-o.',
  'again, with the same webhook-id. Destinations, clients and secrets are those of the backup: those that were deleted, revoked':
    'de novo, com o mesmo webhook-id. Destinos, clientes e segredos são os do backup: os que foram excluídos, revogados',
  'the search has no letter and no digit: type a value of the payload, such as a txid, a CPF, a name or 150,10':
    'a busca não tem letras nem dígitos: digite um valor do conteúdo, por exemplo um txid, um CPF, um nome ou 150,10',
  '{subject} of {institution} in {environment}': '{subject} de {institution} em {environment}',
  '{subject} of {institution}': '{subject} de {institution}',
  '{subject} in {environment}': '{subject} em {environment}',
  'Portaria {version} is ready, for development.': 'O Portaria {version} está pronto, para desenvolvimento.',
  'Portaria {version} is ready, for development. Created {count} files in {folder}':
    'O Portaria {version} está pronto, para desenvolvimento. {count} arquivos criados em {folder}',
  'callbacks  {url}  mutual TLS: {paths}': 'callbacks  {url}  TLS mútuo: {paths}',
  'charges    {url}  without a client certificate: /charges/<token>':
    'charges    {url}  sem certificado de cliente: /charges/<token>',
  'pages      {url}  sign in with an empty id and the secret in {file}':
    'pages      {url}  entre com o ID vazio e o segredo em {file}',
  'pages      {url}  sign in with a client: {command}': 'pages      {url}  entre com um cliente: {command}',
  'In another terminal, start a simulated service (docs/tour.md has the tour), or call as the service does:':
    'Em outro terminal, inicie um serviço simulado (docs/pt/tour.md tem o tour), ou chame como o serviço:',
  'Ctrl-C stops it; nothing that was acknowledged is lost.': 'Ctrl-C o encerra; nada que foi confirmado se perde.',
  consumer: 'consumidor',
  delivery: 'entrega',
  evidence: 'evidência',
  headers: 'cabeçalhos',
  refusal: 'recusa',
  replay: 'reenvio',
}
