import type { Texts } from '../../../translator.ts'

/** What the operating system, TLS or the network refused, and who may remedy it. */
export const SYSTEM_MESSAGES: Texts = {
  'internal error': 'erro interno',
  'check the disk and the limits of this machine, then run the command again':
    'verifique o disco e os limites desta máquina, e execute o comando de novo',
  'no secret has this name: create {name}, then systemctl restart portaria':
    'nenhum segredo tem este nome: crie {name}, e depois execute systemctl restart portaria',
  '{name} does not exist, or was created after the service started: systemctl restart portaria loads it':
    '{name} não existe, ou foi criado depois do início do serviço: systemctl restart portaria o carrega',
  '{name} was created after the service started: systemctl restart portaria loads it':
    '{name} foi criado depois do início do serviço: systemctl restart portaria o carrega',
  'check that its folder exists, is writable by this user and has free space':
    'verifique se a pasta existe, se este usuário pode gravar nela e se há espaço livre',
  'either its file system is read-only (look at dmesg), or this user may not write to it or to its folder: {advice}':
    'ou o sistema de arquivos só permite leitura (veja dmesg), ou este usuário não pode gravar nele ou na pasta: {advice}',
  'keep the files as they are and restore a backup ({command} storage restore FILE)':
    'mantenha os arquivos como estão e restaure um backup ({command} storage restore ARQUIVO)',
  '{path} was removed or renamed': '{path} foi removido ou renomeado',
  '{path} was replaced by another file': '{path} foi substituído por outro arquivo',
  '{file} was cut off from {size} to {now} bytes': '{file} foi cortado de {size} para {now} bytes',
  '{file} was overwritten': '{file} foi sobrescrito',
  '{file}-wal was cut off or overwritten': '{file}-wal foi cortado ou sobrescrito',
  'more than one Host header': 'mais de um cabeçalho Host',
  'no Host header': 'nenhum cabeçalho Host',
  'a Host header that is none': 'um cabeçalho Host inválido',
  'neither HTTP/1.1 nor HTTP/1.0': 'nem HTTP/1.1 nem HTTP/1.0',
  'TLS handshake failed: {error}': 'o handshake TLS falhou: {error}',
  "the service does not accept the client certificate ({reason}); check that service.certificate is the account's own of this environment, valid and not revoked, and download a new one from the account if it is not":
    'o serviço não aceita o certificado de cliente ({reason}); verifique se service.certificate é o da própria conta neste ambiente, válido e não revogado; se não for, baixe um novo da conta',
  '{environment} has no address: set service.baseAddresses.{on} of this environment':
    '{environment} não tem endereço: defina service.baseAddresses.{on} deste ambiente',
  '{environment} asks for the client secret, whose file cannot be used: correct the file that service.clientSecret of this environment names':
    '{environment} pede o segredo do cliente, cujo arquivo não pode ser usado: corrija o arquivo indicado em service.clientSecret deste ambiente',
  "{environment} asks for the account's certificate: set service.certificate of this environment":
    '{environment} pede o certificado da conta: defina service.certificate deste ambiente',
  'this gateway has no access to the service in {environment}: its operator can add an entry to service':
    'este gateway não tem acesso ao serviço em {environment}: o operador pode incluir uma entrada em service',
  'this gateway does not know the charges interface of the service in {environment}: its operator can set service.baseAddresses.charges':
    'este gateway não conhece a interface de cobranças do serviço em {environment}: o operador pode definir service.baseAddresses.charges',
  'this gateway receives no charge notifications: its operator can add the section chargeNotifications':
    'este gateway não recebe notificações de cobranças: o operador pode incluir a seção chargeNotifications',
  'this gateway does not know its own address: its operator can set chargeNotifications.publicUrl':
    'este gateway não conhece o seu próprio endereço: o operador pode definir chargeNotifications.publicUrl',
  'this gateway has no path token for {environment}: its operator can add one to chargeNotifications.tokens':
    'este gateway não tem token de caminho para {environment}: o operador pode incluir um em chargeNotifications.tokens',
  'this gateway does not resolve notification tokens of {environment}, so it cannot tell charges apart: its operator can set service.resolveTokens':
    'este gateway não resolve tokens de notificação de {environment}, e por isso não distingue as cobranças: o operador pode definir service.resolveTokens',
  'the clock says {now}, {days} days after the last certain time {time}: nothing is removed or expired by age until it is right; set the clock; or, if so much time has really passed, confirm it with "{command} storage confirm-clock"':
    'o relógio mostra {now}, {days} dias depois da última hora certa, {time}: nada é removido nem vence por idade até que ele seja acertado; acerte o relógio; ou, se passou mesmo tanto tempo, confirme-o com "{command} storage confirm-clock"',
  'the disk is nearly full: {free} free, storage.minFreeSpace is {least}':
    'o disco está quase cheio: {free} livres, storage.minFreeSpace é {least}',
  'the last callback could not be stored: {reason}': 'o último callback não pôde ser gravado: {reason}',
  'the listeners are not open': 'os listeners não estão abertos',
  'the database does not have the schema of this program yet':
    'o banco de dados ainda não tem o esquema deste programa',
}
