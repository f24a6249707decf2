import type { Texts } from '../../../translator.ts'

/** Help of the commands for destinations, clients, refusals, alarms and the log of actions. */
export const DESTINATIONS_HELP: Texts = {
  'Manage destinations, to which events are forwarded': 'Gerencia os destinos, aos quais os eventos são encaminhados',
  'Create a destination; it receives events that are stored from now on':
    'Cria um destino; ele recebe os eventos gravados a partir de agora',
  'https://… (http only into forwarding.allowedNetworks)': 'https://… (http só em forwarding.allowedNetworks)',
  'name of the destination (default: the host of the URL)': 'nome do destino (padrão: o host da URL)',
  'file with the signing secret, whsec_… (default: generated and shown once)':
    'arquivo com o segredo de assinatura, whsec_… (padrão: gerado e mostrado uma vez)',
  'only this institution; may be repeated (default: all)': 'só esta instituição; pode ser repetida (padrão: todas)',
  'only this environment; may be repeated (default: both)': 'só este ambiente; pode ser repetida (padrão: ambos)',
  'only events with this subject; may be repeated (default: every event)':
    'só eventos com este assunto; pode ser repetida (padrão: todos os eventos)',
  'only events whose subject begins with this text; may be repeated':
    'só eventos cujo assunto começa com este texto; pode ser repetida',
  'mutual-tls: no events of callbacks that came with a path token (default: any)':
    'mutual-tls: nenhum evento de callbacks que vieram com um token no caminho (padrão: any)',
  'original: the request body as received; event: wrapped in JSON of our own':
    'original: o corpo da requisição como foi recebido; event: dentro de um JSON do Portaria',
  'time limit of an attempt, in milliseconds': 'tempo limite de uma tentativa, em milissegundos',
  'maximum number of attempts at the same time': 'número máximo de tentativas ao mesmo tempo',
  'maximum deliveries per second; a pause allows a burst of one second’s worth':
    'máximo de entregas por segundo; depois de uma pausa, as de um segundo podem ir de uma vez',
  'waits before each attempt, such as 0s,5s,1m (default: forwarding.schedule)':
    'esperas antes de cada tentativa, por exemplo 0s,5s,1m (padrão: forwarding.schedule)',
  'subject: deliveries of one subject are sent one after the other':
    'subject: as entregas de um mesmo assunto são enviadas uma depois da outra',
  'with --order subject: whether an exhausted delivery holds the next ones of its subject':
    'com --order subject: se uma entrega esgotada retém as próximas do seu assunto',
  'CA certificates for checking its server certificate, PEM (default: the public ones)':
    'certificados de AC para verificar o certificado do servidor do destino, PEM (padrão: os públicos)',
  'extra request header; may be repeated': 'cabeçalho adicional da requisição; pode ser repetida',
  'List destinations': 'Lista os destinos',
  'Show one destination': 'Mostra um destino',
  'name or id': 'nome ou ID',
  'also show the signing secrets, and the values in the query of the URL':
    'mostra também os segredos de assinatura e os valores na query da URL',
  'Change settings of a destination; the others stay as they are':
    'Altera configurações de um destino; as outras ficam como estão',
  'new URL': 'nova URL',
  'new name': 'novo nome',
  'stop sending this header; may be repeated': 'deixa de enviar este cabeçalho; pode ser repetida',
  'restore the default of this setting; may be repeated': 'volta ao padrão desta configuração; pode ser repetida',
  'Replace the signing secret; during the overlap, deliveries carry signatures of the old and the new one':
    'Troca o segredo de assinatura; durante a sobreposição, as entregas levam assinaturas do antigo e do novo',
  'how long the old secret still signs, such as 24h; 0s: it stops at once (default: 24h)':
    'por quanto tempo o segredo antigo ainda assina, por exemplo 24h; 0s: deixa de assinar na hora (padrão: 24h)',
  'file with the new secret, whsec_… (default: generated and shown once)':
    'arquivo com o novo segredo, whsec_… (padrão: gerado e mostrado uma vez)',
  'Stop sending to a destination; its deliveries wait': 'Deixa de enviar a um destino; as entregas dele esperam',
  'Start sending again: new deliveries at once, the backlog at forwarding.catchUpRate':
    'Volta a enviar: novas entregas imediatamente, as acumuladas no ritmo de forwarding.catchUpRate',
  'Delete a destination and cancel its pending deliveries; a terminal asks first':
    'Exclui um destino e cancela as suas entregas pendentes; em um terminal, pergunta antes',
  'Send a signed test event now and show the response': 'Envia agora um evento de teste assinado e mostra a resposta',
  'kind of the event, of those that the destination receives (default: operator)':
    'tipo do evento, entre os que o destino recebe (padrão: operator)',
  'Show state, backlog and its age, success rate and latency of the last 1,000 attempts':
    'Mostra estado, entregas acumuladas e a idade delas, taxa de sucesso e latência das últimas 1.000 tentativas',
  'only this destination, by name or id': 'só este destino, por nome ou ID',
  'Manage clients: the apps that may use the API, and their scopes':
    'Gerencia os clientes: os aplicativos que podem usar a API, e os seus escopos',
  'Create a client; its secret is shown once': 'Cria um cliente; o segredo dele é mostrado uma única vez',
  'name of the client': 'nome do cliente',
  'environment of the events that it reads and of the webhooks that it registers':
    'ambiente dos eventos que ele lê e dos webhooks que ele cadastra',
  'scopes, separated by spaces: {scopes}': 'escopos, separados por espaços: {scopes}',
  'List clients': 'Lista os clientes',
  'also list revoked clients': 'lista também os clientes revogados',
  'Show one client; its secret cannot be shown again':
    'Mostra um cliente; o segredo dele não pode ser mostrado de novo',
  'Issue a new secret, shown once; the old secret stays valid for the grace period':
    'Emite um novo segredo, mostrado uma única vez; o antigo continua válido durante a carência',
  'how long the old secret stays valid; 0s: the old secret and its tokens stop working at once':
    'por quanto tempo o segredo antigo continua válido; 0s: ele e os seus tokens deixam de valer imediatamente',
  'Revoke permanently; secrets and tokens stop working immediately':
    'Revoga definitivamente; segredos e tokens deixam de valer imediatamente',
  'List and show refused callers, with the reasons': 'Lista e mostra os chamadores recusados, com os motivos',
  'List refusals, newest first': 'Lista as recusas, as mais recentes primeiro',
  'only this reason code, such as unknown_issuer; may be repeated':
    'só este código de motivo, por exemplo unknown_issuer; pode ser repetida',
  'only callers from this address': 'só chamadores deste endereço',
  'only this listener': 'só este listener',
  'refused at this time or later, such as "2026-11-22 10:00" (local time), 2026-11-22T10:00:00Z, or an age such as 2h':
    'recusados nesta hora ou depois, por exemplo "2026-11-22 10:00" (hora local), 2026-11-22T10:00:00Z, ou uma idade como 2h',
  'refused before this time': 'recusados antes desta hora',
  'Show one refusal with the peer certificates': 'Mostra uma recusa com os certificados do chamador',
  'the refusal, rfs_…': 'a recusa, rfs_…',
  'Show new refusals as they happen, until Ctrl-C': 'Mostra as novas recusas quando acontecem, até Ctrl-C',
  'begin with refusals of this time or later, such as "2026-11-22 10:00" (local time) or 2h':
    'começa com recusas desta hora ou depois, por exemplo "2026-11-22 10:00" (hora local) ou 2h',
  'List, test and mute alarms, which reach people by e-mail, chat or a program':
    'Lista, testa e silencia alarmes, que chegam às pessoas por e-mail, chat ou um programa',
  'List channels, alarms with what each channel has sent of them, and mutes':
    'Lista os canais, os alarmes com o que cada canal enviou deles, e os silenciamentos',
  'Send a test message now, and say what came of it; the exit code is 1 if a channel failed':
    'Envia agora uma mensagem de teste e mostra o resultado; o código de saída é 1 se um canal falhou',
  'only this channel (default: every one)': 'só este canal (padrão: todos)',
  'Send nothing of some alarms for a time; the overview shows them nevertheless':
    'Não envia certos alarmes por um tempo; a visão geral os mostra mesmo assim',
  'code of the alarms, such as circuit_open; all: every one':
    'código dos alarmes, por exemplo circuit_open; all: todos',
  'only of this destination, kind or the like, as the list shows it':
    'só deste destino, tipo ou semelhante, como a lista o mostra',
  'when the mute ends: a time such as "2026-11-22 10:00" (local time), or in how long, such as 2h':
    'quando o silenciamento termina: uma hora, por exemplo "2026-11-22 10:00" (hora local), ou daqui a quanto tempo, por exemplo 2h',
  'why, for all who see the mute; no personal data':
    'o motivo, para todos os que veem o silenciamento; sem dados pessoais',
  'End mutes early: what they have held back and is still open is sent':
    'Encerra silenciamentos antes do prazo: o que eles retiveram e ainda está em aberto é enviado',
  'one or more mutes, mut_…; stops at the first error': 'um ou mais silenciamentos, mut_…; para no primeiro erro',
  'List actions: who changed something, or saw masked personal data':
    'Lista as ações: quem alterou algo, ou viu dados pessoais mascarados',
  'List actions, newest first': 'Lista as ações, as mais recentes primeiro',
  'only actions of this client, by id or name, or of operator':
    'só ações deste cliente, por ID ou nome, ou de operator',
  'only this action, such as pauseDestination or unmaskEvent':
    'só esta ação, por exemplo pauseDestination ou unmaskEvent',
  'only actions upon this object: the id or name that its path has':
    'só ações sobre este objeto: o ID ou o nome que está no caminho',
  'done at this time or later, such as "2026-11-22 10:00" (local time), 2026-11-22T10:00:00Z, or an age such as 2h':
    'feitas nesta hora ou depois, por exemplo "2026-11-22 10:00" (hora local), 2026-11-22T10:00:00Z, ou uma idade como 2h',
  'done before this time': 'feitas antes desta hora',
}
