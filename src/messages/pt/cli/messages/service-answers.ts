import type { Texts } from '../../../translator.ts'

const CHECKS_FROM_OUTSIDE = 'execute {command} check --url de fora da sua rede, e {command} refusals list no gateway'
const ENDS_TLS =
  'faça o TLS terminar no listener de callbacks, não em um proxy ou balanceador à frente dele; {command} check --url mostra isso'

/** Why the service refused a request or answered it unlike its documents, and what commands did there. */
export const SERVICE_ANSWERS: Texts = {
  'the settings have no redirect address': 'as configurações não têm endereço de redirecionamento',
  'give one with --redirect-url': 'informe um com --redirect-url',
  'the redirect address is not a URL that the service takes':
    'o endereço de redirecionamento não é uma URL que o serviço aceita',
  'correct --redirect-url: a whole https address': 'corrija --redirect-url: um endereço https completo',
  'the settings have no webhook address': 'as configurações não têm endereço de webhook',
  'set callbacks.publicUrl and a kind for open banking, from which the address is made':
    'defina callbacks.publicUrl e um tipo para open banking, dos quais o endereço é formado',
  'the address answered the request without a client certificate':
    'o endereço respondeu à requisição sem certificado de cliente',
  'let TLS end at the callback listener, not at a proxy or balancer in front of it; {command} check --url shows it':
    ENDS_TLS,
  'the address is not valid, cannot be reached from the internet, or its TLS handshake failed':
    'o endereço não é válido, não pode ser acessado da internet, ou o handshake TLS dele falhou',
  'run {command} check --url from outside your network, and {command} refusals list at the gateway':
    CHECKS_FROM_OUTSIDE,
  'the service does not know this webhookSecurity type': 'o serviço não conhece este tipo de webhookSecurity',
  'use mtls, which is what the callback listener needs': 'use mtls, que é o que o listener de callbacks exige',
  'webhookSecurity of type hmac has no valid hash': 'webhookSecurity do tipo hmac não tem um hash válido',
  'use mtls, which needs no hash, or give the hash of the account':
    'use mtls, que não precisa de hash, ou informe o hash da conta',
  'the service finds no account for these credentials': 'o serviço não encontra conta para estas credenciais',
  'check that clientId and certificate belong to an active account of this environment':
    'verifique se clientId e o certificado são de uma conta ativa deste ambiente',
  'the account has no open-banking settings yet': 'a conta ainda não tem configurações de open banking',
  'set them with {command} service open-banking set': 'defina-as com {command} service open-banking set',
  'the address is not a URL': 'o endereço não é uma URL',
  'correct callbacks.publicUrl, the path of the kind, and the query':
    'corrija callbacks.publicUrl, o caminho do tipo e a query',
  'the address does not begin with https://': 'o endereço não começa com https://',
  'correct callbacks.publicUrl: it must be an https address': 'corrija callbacks.publicUrl: deve ser um endereço https',
  'the service cannot connect to the address': 'o serviço não consegue se conectar ao endereço',
  'open the port in firewall and router, check the address in DNS, and run {command} check --url from outside your network':
    'abra a porta no firewall e no roteador, confira o endereço no DNS, e execute {command} check --url de fora da sua rede',
  'the address gave the service no answer in time': 'o endereço não respondeu ao serviço a tempo',
  'check that no firewall drops packets and that the gateway is not overloaded, then repeat; {command} check --url shows how long it takes':
    'verifique se nenhum firewall descarta pacotes e se o gateway não está sobrecarregado, e repita; {command} check --url mostra quanto demora',
  'the connection or the handshake with the certificate of the service failed':
    'a conexão ou o handshake com o certificado do serviço falhou',
  '{command} refusals list shows why the gateway refused it; often a chain is missing: {command} certs trust list, and the issuers in callbacks.certificate':
    '{command} refusals list mostra por que o gateway o recusou; muitas vezes falta uma cadeia: {command} certs trust list, e os emissores em callbacks.certificate',
  'the address answered, but not with 2xx': 'o endereço respondeu, mas não com 2xx',
  'check the path of the kind, that the gateway is ready ({command} check), and that nothing in front of it answers':
    'confira o caminho do tipo, se o gateway está pronto ({command} check) e se nada à frente dele responde',
  'the host name of the address does not resolve': 'o nome de host do endereço não é resolvido',
  'correct the name in callbacks.publicUrl, or create it in the public DNS':
    'corrija o nome em callbacks.publicUrl, ou crie-o no DNS público',
  'no webhook of the account has this id': 'nenhum webhook da conta tem este ID',
  '{command} service webhooks list shows the ids that the service has':
    '{command} service webhooks list mostra os IDs que o serviço tem',
  'the address is registered already, perhaps by another application of the account':
    'o endereço já está cadastrado, talvez por outro aplicativo da conta',
  '{command} service webhooks list shows it; nothing has to be done if it is in the list':
    '{command} service webhooks list o mostra; se ele está na lista, nada precisa ser feito',
  'the period ends before it begins': 'o período termina antes de começar',
  'check the clock of this machine': 'verifique o relógio desta máquina',
  'the address did not pass the two requests of the service; its sentence says which one failed':
    'o endereço não passou nas duas requisições do serviço; a frase dele diz qual falhou',
  'the account has no such webhook': 'a conta não tem esse webhook',
  '{command} service webhooks list shows what the service has':
    '{command} service webhooks list mostra o que o serviço tem',
  'the service does not take a value of the request': 'o serviço não aceita um valor da requisição',
  'its sentence names the value: correct it, and repeat': 'a frase dele indica o valor: corrija-o e repita',
  'the service has a failure of its own': 'o serviço está com uma falha',
  'repeat later; if it stays, ask the support of the service':
    'repita mais tarde; se continuar, consulte o suporte do serviço',

  '{count} questions are left: a budget is used up, or the service is away':
    'faltam {count} perguntas: uma cota acabou, ou o serviço está inacessível',
  'the run could not go on: the log of the gateway has the reason':
    'a execução não pôde continuar: o log do gateway tem o motivo',
  'only asked: nothing was stored': 'só perguntado: nada foi gravado',
  'unknown whether the service has changed it: {words}': 'não se sabe se o serviço fez a alteração: {words}',
  'line {number}: "{id}" is not an id': 'linha {number}: "{id}" não é um ID',
  'and {count} more': 'e mais {count}',
  'Set the metadata of one {resource} ({realm}) to {values}?':
    'Definir os metadados de um registro ({resource}, {realm}) como {values}?',
  'Set the notification_url of up to {count} {resource} ({realm}) to {values}?':
    'Definir a notification_url de até {count} registros ({resource}, {realm}) como {values}?',
  changed: 'com alteração',
  failed: 'com falha',
  'had the address already': 'já com o endereço',
  'left alone': 'sem alteração',
  'would be changed': 'a alterar',
  'Replace the settings of open banking at the service ({realm})?':
    'Substituir no serviço as configurações de open banking ({realm})?',
  'to be set': 'a definir',
  'receberSemChave of the account is false: {words}': 'receberSemChave da conta é false: {words}',
  'receberSemChave of the account is not set: {words}': 'receberSemChave da conta não está definido: {words}',
  'receberSemChave of the account could not be read ({error}): {words}':
    'receberSemChave da conta não pôde ser lido ({error}): {words}',
  'with open banking it should be true, otherwise payments can fail':
    'com open banking deve ser true; senão, pagamentos podem falhar',
  'Make this change at the service ({realm}, {on})?': 'Fazer esta alteração no serviço ({realm}, {on})?',
  'Delete this at the service ({realm}, {on})? It stops calling.':
    'Excluir isto no serviço ({realm}, {on})? Ele deixa de chamar.',
  'the service accepted {url}, but its list does not have it': 'o serviço aceitou {url}, mas a lista dele não o tem',
  'it still has {url}': 'ainda tem {url}',
  'it no longer has {url}': 'não tem mais {url}',
  'it does not have {url}': 'não tem {url}',
  'the list of the service is not as planned: {words}': 'a lista do serviço não é a prevista: {words}',
  'has       {url}': 'tem       {url}',
  'register  {url}': 'cadastra  {url}',
  'delete    {url} ({words})': 'exclui    {url} ({words})',
  'delete  {url}': 'exclui  {url}',
  'keep      {url} ({words}): the service calls it too': 'mantém    {url} ({words}): o serviço também o chama',
  'not ours': 'não é nosso',
  'ours, kind {kind}': 'nosso, tipo {kind}',
  '✓ registered: the list of the service has the address': '✓ cadastrado: a lista do serviço tem o endereço',
  '✓ the service has the address': '✓ o serviço tem o endereço',
}
