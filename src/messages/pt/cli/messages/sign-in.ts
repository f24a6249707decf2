import type { Texts } from '../../../translator.ts'

/** Of `login --device`, and of the API about people who sign in. */
export const SIGN_IN_MESSAGES: Texts = {
  '--device is in place of --client-id and --token-file: leave them out':
    '--device vale no lugar de --client-id e --token-file: retire-as',
  '{api} offers no sign-in for people; give --client-id and --client-secret-file of a client ("{command} clients create" makes one on the gateway\'s machine), or --token-file':
    '{api} não permite que pessoas entrem; informe --client-id e --client-secret-file de um cliente ("{command} clients create" cria um na máquina do gateway), ou --token-file',
  '{api} offers no sign-in for people: {error}; give --client-id and --client-secret-file of a client ("{command} clients create" makes one on the gateway\'s machine), or --token-file':
    '{api} não permite que pessoas entrem: {error}; informe --client-id e --client-secret-file de um cliente ("{command} clients create" cria um na máquina do gateway), ou --token-file',
  'open {address} in a browser, on any machine, and enter the code {code}':
    'abra {address} em um navegador, em qualquer máquina, e informe o código {code}',
  'the same with the code: {address}': 'o mesmo, com o código: {address}',
  'no answer of {api}: the sign-in goes on when it answers again':
    'sem resposta de {api}: o comando continua quando ele responder de novo',
  'the code was not used in time: run the command again': 'o código não foi usado a tempo: execute o comando de novo',
  'the profile {name} was changed; sign in again with: {command}':
    'o perfil {name} foi alterado; entre de novo com: {command}',
  'the sign-in of {name} is over, and its provider renews none; sign in again with: {command}':
    'a sessão de {name} terminou, e o provedor não a renova; entre de novo com: {command}',
  'another process holds the profile {name}: end it, or try again':
    'outro processo ocupa o perfil {name}: encerre-o, ou tente de novo',
  '{name} has no role here: the operator gives one (api.oidc.roles)':
    '{name} não tem função aqui: o operador pode dar uma (api.oidc.roles)',
  'the provider refuses to go on with the sign-in of {name}: sign in again':
    'o provedor se recusa a continuar a sessão de {name}: entre de novo',
  'the OpenID provider refuses this gateway, and so each person: tell the operator, whose log has the reason (oidc.sign_in_refused)':
    'o provedor OpenID recusa este gateway, e por isso todas as pessoas: avise o operador, cujo log tem o motivo (oidc.sign_in_refused)',
  'the OpenID provider cannot be reached now: try again later':
    'o provedor OpenID não está acessível agora: tente de novo mais tarde',
  'the person has not signed in yet: ask again later': 'a pessoa ainda não entrou: pergunte de novo mais tarde',
  'asked again too early: wait longer between two requests': 'a requisição veio cedo demais: espere mais entre duas',
  'the profile {name} is removed, and its sign-in has ended': 'o perfil {name} foi removido, e a sessão dele terminou',
  'the profile {name} is removed; its sign-in goes on at the provider: {error}':
    'o perfil {name} foi removido; a sessão dele continua no provedor: {error}',
  'this is no refresh token of this gateway': 'este não é um refresh token deste gateway',
  'the OpenID provider ends no sign-in on request': 'o provedor OpenID não encerra sessões a pedido',
  'the OpenID provider refuses to end the sign-in': 'o provedor OpenID se recusa a encerrar a sessão',
  'token is missing: send the refresh token': 'falta token: envie o refresh token',
  'the sign-in was refused at the provider': 'o acesso foi recusado no provedor',
  'the provider does not accept this sign-in: begin again': 'o provedor não aceita este acesso: comece de novo',
  'the code was not used in time: begin again': 'o código não foi usado a tempo: comece de novo',
  'this gateway did not issue it, or its api.oidc was changed since: sign in again':
    'este gateway não o emitiu, ou api.oidc foi alterado desde então: entre de novo',
  'this gateway has no sign-in for people at the API (api.oidc is not set up): use the id and secret of a client':
    'este gateway não permite que pessoas entrem pela API (api.oidc não está configurado): use o ID e o segredo de um cliente',
  'the OpenID provider has no device sign-in: use the id and secret of a client':
    'o provedor OpenID não permite entrar por dispositivo: use o ID e o segredo de um cliente',
  'the OpenID provider refuses to begin a device sign-in: permit its client there the device authorization grant, or use the id and secret of a client':
    'o provedor OpenID se recusa a iniciar o acesso por dispositivo: permita lá ao cliente do gateway o "device authorization grant", ou use o ID e o segredo de um cliente',
  'too many sign-ins from this address: wait {seconds} s':
    'tentativas de entrar demais deste endereço: espere {seconds} s',
  'the configuration gives this person no role any more': 'a configuração não dá mais nenhuma função a esta pessoa',
}
