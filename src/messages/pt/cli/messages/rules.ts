import type { Texts } from '../../../translator.ts'

/** Why a change of destinations, deliveries, clients and replays is refused. */
export const RULES_MESSAGES: Texts = {
  'another app receives the notifications of this {resource}: it must end that first':
    'outro aplicativo recebe as notificações desta {resource}: ele precisa encerrar isso antes',
  'there is a client named {name} already: choose another name, or revoke that one first':
    'já existe um cliente chamado {name}: escolha outro nome, ou revogue antes aquele',
  'there are {limit} clients already: revoke one that is not used':
    'já há {limit} clientes: revogue um que não é usado',
  'there is no client {id}': 'não há nenhum cliente {id}',
  'the client {name} was revoked: create another in its place':
    'o cliente {name} foi revogado: crie outro no lugar dele',
  '{id} waits for another delivery of its subject: retry or skip that one':
    '{id} espera outra entrega do seu assunto: repita ou pule aquela',
  '{id} is {state} already: there is nothing to skip': '{id} já está no estado {state}: não há nada para pular',
  'the event has no delivery to a destination that still exists: name one with --destination':
    'o evento não tem entrega a um destino que ainda exista: informe um com --destination',
  'the data of this event was removed on {time}, by retention or a redaction: there is nothing left to deliver':
    'os dados deste evento foram removidos em {time}, pela retenção ou por uma remoção: não há mais nada para entregar',
  'the destination {id} was removed: events replay --destination sends the event to another one':
    'o destino {id} foi removido: events replay --destination envia o evento a outro',
  '{name} is a registration: its URL and kinds are changed by registering the other URL, and deleting this one':
    '{name} é um cadastro: para alterar a URL e os tipos, cadastre a outra URL e exclua este',
  '{name} is the notification_url of charges, and gets their notifications only: its URL and filters (kinds, environments, institutions, subjects, authentication) cannot be changed; the app sets another notification_url for each charge':
    '{name} é a notification_url de cobranças, e só recebe as notificações delas: a URL e os filtros (tipos, ambientes, instituições, assuntos, autenticação) não podem ser alterados; o aplicativo define outra notification_url em cada cobrança',
  '{name} signs with that secret already: give it another one': '{name} já assina com esse segredo: informe outro',
  '{name} left the configuration file: it cannot be paused':
    '{name} saiu do arquivo de configuração: não pode ser pausado',
  '{name} left the configuration file: put it back there':
    '{name} saiu do arquivo de configuração: inclua-o ali de novo',
  '{name} comes from the configuration file: remove it there and reload the gateway (SIGHUP); pause it meanwhile':
    '{name} vem do arquivo de configuração: remova-o ali e recarregue o gateway (SIGHUP); enquanto isso, pause-o',
  'there is no destination dst_{id}': 'não há nenhum destino dst_{id}',
  '{name} comes from the configuration file: change it there and reload the gateway (SIGHUP)':
    '{name} vem do arquivo de configuração: altere-o ali e recarregue o gateway (SIGHUP)',
  'there is a destination named {name} already: choose another name, or delete it first':
    'já existe um destino chamado {name}: escolha outro nome, ou exclua antes aquele',
  'there are {limit} destinations already, and no more are allowed: delete some first':
    'já há {limit} destinos, e não são permitidos mais: exclua alguns antes',
  'the client has {limit} destinations already, and no more are allowed: delete some first':
    'o cliente já tem {limit} destinos, e não são permitidos mais: exclua alguns antes',
  'the destination {name} of the configuration file exists already, made by a command: rename one of them, or delete dst_{id}':
    'o destino {name} do arquivo de configuração já existe, criado por um comando: renomeie um deles, ou exclua dst_{id}',
  '{limit} replays are running, and no more are allowed at once: wait for one, or cancel one':
    '{limit} reenvios estão em andamento, e não são permitidos mais ao mesmo tempo: espere um terminar, ou cancele um',
  '{id} is {state} already, and none of its deliveries waits: there is nothing to cancel':
    '{id} já está no estado {state}, e nenhuma das suas entregas espera: não há nada para cancelar',
  '{id} is {state} already, which is final': '{id} já está no estado {state}, o que é definitivo',
}
