import { COMMAND } from '../../../platform/installation.ts'
import type { Sentence } from './sentence.ts'

/** What `portaria check` advises about the configuration, files, certificates, storage, nodes and the clock. */
export const CHECK_STEPS: readonly Sentence[] = [
  ['write the addresses of your load balancers alone', 'escreva só os endereços dos seus balanceadores'],
  [
    'name its file with --config, or restart it with this one',
    'informe o arquivo dele com --config, ou reinicie-o com este',
  ],
  [
    'reload it (systemctl reload portaria, or the command reload); where that found a mistake, correct it first',
    'recarregue-o (systemctl reload portaria, ou o comando reload); onde isso encontrou um erro, corrija-o antes',
  ],
  ['follow that advice', 'siga esse conselho'],
  ['follow that advice, or restore a backup', 'siga esse conselho ou restaure um backup'],
  [
    'correct {file}: config/portaria.yaml explains every key',
    'corrija {file}: config/portaria.yaml explica cada chave',
  ],
  [
    'correct it: until then the gateway does not start, and a reload changes nothing',
    'corrija-o: até lá o gateway não inicia, e recarregar não muda nada',
  ],
  [
    'correct it: until then the service is not called; receiving and forwarding go on',
    'corrija-o: até lá o serviço não é chamado; receber e encaminhar continuam',
  ],
  [
    'never use it on a server: write mode: production there, or leave the key out',
    'nunca o use em um servidor: escreva lá mode: production, ou omita a chave',
  ],
  [
    'add chargeNotifications (config/portaria.yaml shows it), or remove the kind if the service sends you no charges',
    'inclua chargeNotifications (config/portaria.yaml mostra como), ou remova o tipo se o serviço não lhe envia cobranças',
  ],
  ['add chargeNotifications.certificate and privateKey', 'inclua chargeNotifications.certificate e privateKey'],
  [
    'remove chargeNotifications.pathTokens where the service can use mutual TLS; else limit allowedAddresses, write authentication: mutual-tls at destinations that must not get such events, and accept this finding',
    'remova chargeNotifications.pathTokens onde o serviço pode usar TLS mútuo; senão limite allowedAddresses, escreva authentication: mutual-tls nos destinos que não devem receber esses eventos, e aceite este resultado',
  ],
  [
    'name your accounts or keys in {key}.accounts.allow (config/portaria.yaml shows it), and restart',
    'informe as suas contas ou chaves em {key}.accounts.allow (config/portaria.yaml mostra como) e reinicie',
  ],
  [
    'correct the file or its path: until then nothing is sent by it',
    'corrija o arquivo ou o caminho dele: até lá nada é enviado por este canal',
  ],
  [
    'until it does, people sign in with the id and secret of a client; compare issuer with what the provider names, and authorities with its CA',
    'até que responda, as pessoas entram com o ID e o segredo de um cliente; compare issuer com o nome que o provedor usa, e authorities com a AC dele',
  ],
  [
    'give the provider one of a CA in api.clientCa, or write optional; without it a session ends only when the provider refuses a refresh',
    'dê ao provedor um certificado de uma AC de api.clientCa, ou escreva optional; sem isso, uma sessão só termina quando o provedor recusa uma renovação',
  ],
  [
    'install Node.js {words}, on the PATH of the process that starts Portaria (/usr/local/bin, or Environment=PATH=… in the unit of a service), and restart: bin/portaria prefers it to the Node.js that it came with',
    'instale o Node.js {words}, no PATH do processo que inicia o Portaria (/usr/local/bin, ou Environment=PATH=… na unit de um serviço), e reinicie: bin/portaria o prefere ao Node.js que veio com ele',
  ],
  ['{version} or newer of line {line}', '{version} ou mais novo da linha {line}'],
  [
    '{version1} or newer of line {line1}, or {version2} or newer of line {line2}',
    '{version1} ou mais novo da linha {line1}, ou {version2} ou mais novo da linha {line2}',
  ],
  ['nothing must be done; when you update: {words}', 'nada precisa ser feito; ao atualizar: {words}'],

  [
    'chmod 0640 {file}, or move them to files (secretFile, webhookFile, heartbeatFile)',
    'chmod 0640 {file}, ou mova-os para arquivos (secretFile, webhookFile, heartbeatFile)',
  ],
  ['chmod {mode} {file}', 'chmod {mode} {file}'],
  ['chmod 0600 {file}; make a new one if it was seen', 'chmod 0600 {file}; crie um novo se alguém o viu'],
  ['chmod 0644 {file}, and check what it holds', 'chmod 0644 {file}, e verifique o conteúdo'],
  [
    "chown {user} {file}, or chgrp it to that user's group with chmod 0640",
    'chown {user} {file}, ou chgrp para o grupo desse usuário, com chmod 0640',
  ],
  [
    "install -d -m 0700 -o USER {folder}, with the gateway's user as USER",
    'install -d -m 0700 -o USUÁRIO {folder}, com o usuário do gateway no lugar de USUÁRIO',
  ],
  [
    'make it with: (umask 077; openssl rand -hex 32 > {file})',
    'crie-o com: (umask 077; openssl rand -hex 32 > {file})',
  ],
  [
    'systemd loads credentials when portaria.service starts, and has loaded none: systemctl restart portaria',
    'o systemd carrega as credenciais quando portaria.service inicia, e não carregou nenhuma: systemctl restart portaria',
  ],
  [
    'the unit loads no credential of this name: add LoadCredential={credential} to it, then systemctl restart portaria',
    'a unit não carrega uma credencial com este nome: inclua nela LoadCredential={credential}, depois execute systemctl restart portaria',
  ],
  [
    'no secret has this name: create {file}, then systemctl restart portaria',
    'nenhum segredo tem este nome: crie {file}, depois execute systemctl restart portaria',
  ],
  [
    '{file} was created after the service started: systemctl restart portaria loads it',
    '{file} foi criado depois do início do serviço: systemctl restart portaria o carrega',
  ],
  [
    '{file} does not exist, or was created after the service started: systemctl restart portaria loads it',
    '{file} não existe, ou foi criado depois do início do serviço: systemctl restart portaria o carrega',
  ],
  [
    'run this command as the user that the gateway runs as (it needs access), or as root',
    'execute este comando como o usuário do gateway (que precisa de acesso), ou como root',
  ],
  [
    'run this command as the gateway does (sudo -u portaria portaria …), or as root',
    'execute este comando como o gateway (sudo -u portaria portaria …), ou como root',
  ],
  [
    'its owner or mode is wrong: as root, systemd-tmpfiles --create portaria.conf restores both',
    'o dono ou o modo está errado: como root, systemd-tmpfiles --create portaria.conf restaura os dois',
  ],

  ['start the gateway once: it creates one', 'inicie o gateway uma vez: ele cria um'],
  [
    'start the gateway once: it creates those of a test CA',
    'inicie o gateway uma vez: ele cria as de uma AC de testes',
  ],
  ['start the gateway once', 'inicie o gateway uma vez'],
  ['start the gateway', 'inicie o gateway'],
  ['put the current ones there', 'coloque lá as atuais'],
  [
    'correct the files that api.clientCa and api.clientCrl name',
    'corrija os arquivos que api.clientCa e api.clientCrl informam',
  ],
  ['the log of the gateway says more (authority.not_renewed)', 'o log do gateway diz mais (authority.not_renewed)'],
  ['renew it, then {command}', 'renove-o, depois {command}'],
  ['then {command}', 'depois {command}'],
  [
    'have one issued with that extended key usage: {command}',
    'obtenha um com esse uso estendido da chave (extended key usage): {command}',
  ],
  ['have one issued for your host name', 'obtenha um para o seu nome de host'],
  ['have one issued for {host}: {command}', 'obtenha um para {host}: {command}'],
  ['have one issued for {host}', 'obtenha um para {host}'],
  [
    `get one from a public authority (${COMMAND} certs csr, then certs import); if the service trusts this one, name its root with --ca FILE`,
    `obtenha um de uma autoridade pública (${COMMAND} certs csr, depois certs import); se o serviço confia neste, informe a raiz dele com --ca ARQUIVO`,
  ],
  [
    `add the intermediate certificate (${COMMAND} certs import CERTIFICATE INTERMEDIATE); if the service trusts a private authority, name it with --ca FILE`,
    `inclua o certificado intermediário (${COMMAND} certs import CERTIFICADO INTERMEDIÁRIO); se o serviço confia em uma autoridade privada, informe-a com --ca ARQUIVO`,
  ],
  [`${COMMAND} certs import {arguments}`, `${COMMAND} certs import {arguments}`],
  [
    "install the service's chain: {command}, then trust activate",
    'instale a cadeia do serviço: {command}, depois trust activate',
  ],
  [
    "remove it; install the service's chain: {command}, then trust activate",
    'remova-a; instale a cadeia do serviço: {command}, depois trust activate',
  ],
  ['or remove the entry of an environment that you do not use', 'ou remova a entrada de um ambiente que você não usa'],
  [
    'if the service calls with it, write usage: any and, under allow, who the service is (such as subjectAlternativeNames), beside its chain in {key}',
    'se o serviço chama com ela, escreva usage: any e, em allow, quem é o serviço (por exemplo subjectAlternativeNames), ao lado da cadeia em {key}',
  ],
  [
    'get the current list from its authority and put it into the file: the gateway reads it by itself',
    'obtenha da autoridade a lista atual e coloque-a no arquivo: o gateway a lê sozinho',
  ],
  ['renew it where TLS ends', 'renove-o onde o TLS termina'],
  [
    'have the operator of {name} renew it: deliveries fail when it has expired',
    'peça a quem opera {name} que o renove: as entregas falham quando ele vence',
  ],
  ['see under certificates', 'veja em certificados'],

  [
    'see store.lost in its log: the gateway ends, and saves what it can',
    'veja store.lost no log dele: o gateway termina e salva o que pode',
  ],
  ['remove the cause, and the index catches up by itself', 'remova a causa, e o índice se atualiza sozinho'],
  ['the index catches up by itself: look again later', 'o índice se atualiza sozinho: verifique mais tarde'],
  ['give it more time with --integrity-limit SECONDS', 'dê mais tempo com --integrity-limit SEGUNDOS'],
  [
    'stop the gateway, move the damaged files aside, and restore a backup; check the disk',
    'pare o gateway, guarde à parte os arquivos danificados e restaure um backup; verifique o disco',
  ],
  ['look with: df -h', 'veja com: df -h'],
  [
    'free some, or move the database (storage.url) to a larger disk; on a small one set storage.minFreeSpace to a size that leaves room',
    'libere espaço ou mova o banco de dados (storage.url) para um disco maior; em um pequeno, defina storage.minFreeSpace com um tamanho que deixe folga',
  ],
  [
    'give the setting its default again: ALTER SYSTEM RESET, then reload PostgreSQL',
    'devolva o valor padrão: ALTER SYSTEM RESET, depois recarregue o PostgreSQL',
  ],
  ['docs/several-nodes.md shows how to set one up', 'docs/pt/several-nodes.md mostra como configurar uma'],
  [
    'docs/examples/postgres-role.sql makes a user with the rights that it needs',
    'docs/examples/postgres-role.sql cria um usuário com os privilégios necessários',
  ],
  [
    'take the right to connect from PUBLIC, as docs/examples/postgres-role.sql does',
    'retire de PUBLIC o privilégio de se conectar, como faz docs/examples/postgres-role.sql',
  ],
  [`${COMMAND} serve`, `${COMMAND} serve`],

  [
    'set node.name on each of them, and restart it; after a crash look again in a minute',
    'defina node.name em cada um e reinicie-o; depois de uma queda, verifique de novo em um minuto',
  ],
  [
    'start it; a node that is gone for good is forgotten after 30 days',
    'inicie-o; um nó que não volta é esquecido depois de 30 dias',
  ],
  [
    `make its files equal to those of the others, and reload it (${COMMAND} reload)`,
    `iguale os arquivos dele aos dos outros e recarregue-o (${COMMAND} reload)`,
  ],
  [
    'set the clock, and keep it right with a time service (systemd-timesyncd, chrony)',
    'acerte o relógio e mantenha-o certo com um serviço de horário (systemd-timesyncd, chrony)',
  ],
  [
    `set the clock; or, if so much time has really passed, confirm it with "${COMMAND} storage confirm-clock"`,
    `acerte o relógio; ou, se passou mesmo tanto tempo, confirme-o com "${COMMAND} storage confirm-clock"`,
  ],
]
