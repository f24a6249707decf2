import type { Texts } from '../../../translator.ts'

/** The database, its files, and commands about them. */
export const STORAGE_MESSAGES: Texts = {
  'the database is empty, or another one than this gateway has worked with: the gateway ends, and its next start takes what is there then. If that is a mistake, keep the gateway stopped, and bring the earlier one back: what was acknowledged is in it':
    'o banco de dados está vazio, ou é outro que não o deste gateway: o gateway termina, e o próximo início aceita o que houver então. Se isso for um engano, mantenha o gateway parado e traga o anterior de volta: o que foi confirmado está nele',
  'the database is an older copy of the one that this gateway has worked with, and would give positions out again: the gateway ends, and its next start takes what is there then. If that is a mistake, keep the gateway stopped, and bring the newer one back: what was acknowledged since is in it':
    'o banco de dados é uma cópia mais antiga do deste gateway, e daria posições de novo: o gateway termina, e o próximo início aceita o que houver então. Se isso for um engano, mantenha o gateway parado e traga a mais nova de volta: o que foi confirmado desde então está nela',
  '{target} belongs to the database itself: name another file':
    '{target} pertence ao próprio banco de dados: informe outro arquivo',
  '{target} exists: name another file, or replace it with --force':
    '{target} existe: informe outro arquivo, ou substitua-o com --force',
  'no loss is known: there is no {file}': 'nenhuma perda é conhecida: não existe {file}',
  'nothing was changed': 'nada foi alterado',
  '{bytes} written, checking it': '{bytes} gravados; verificando',
  '{target} cannot be created: {error}; check that its folder exists and is writable by this user':
    '{target} não pode ser criado: {error}; verifique se a pasta existe e se este usuário pode gravar nela',
  'It must be an event id, evt_…, such as that of the last complete line.':
    'Deve ser o ID de um evento, evt_…, por exemplo o da última linha completa.',
  '{path} is not a regular file: name another': '{path} não é um arquivo comum: informe outro',
  '{path} cannot be inspected: {error}; {advice}, or name another file':
    '{path} não pode ser examinado: {error}; {advice}, ou informe outro arquivo',
  '--to names the database of the configuration': '--to indica o banco de dados da configuração',
  'every row is there, and the audit chain was checked':
    'todas as linhas estão lá, e a cadeia de auditoria foi verificada',
  '--to {words}': '--to {words}',
  'nothing was redacted': 'nada foi removido',
  'the search index cannot be made now: {problem}': 'o índice de busca não pode ser refeito agora: {problem}',
  'indexed up to position {position} of {latest}': 'indexado até a posição {position} de {latest}',
  '{configured} is a link to {file}, and not of the same owner: name the database itself in storage.url':
    '{configured} é um link para {file}, e não do mesmo dono: informe o próprio banco de dados em storage.url',
  '{backup} is not sound, nothing was changed: use an earlier backup':
    '{backup} está danificado, nada foi alterado: use um backup anterior',
  '{named} is the database itself: name a backup': '{named} é o próprio banco de dados: informe um backup',
  '{file} could not be replaced: {error}; inspect it and {file}.before-restore-{given}':
    '{file} não pôde ser substituído: {error}; examine-o e {file}.before-restore-{given}',
  'It must be a position and its hash, such as 1200:9f86d0…, as printed by an earlier run.':
    'Deve ser uma posição e o seu hash, por exemplo 1200:9f86d0…, como impressos por uma execução anterior.',
  'there is no {file}: check the name of the backup': 'não existe {file}: verifique o nome do backup',
  checked: 'verificado',
  '{name} holds a part of another database, or of this one as it was before something changed it: begin again with an empty one':
    '{name} contém uma parte de outro banco de dados, ou deste antes de uma alteração: comece de novo com um vazio',
  'the rows of {name} in {place} differ from those of {other}: begin again with an empty one':
    'as linhas de {name} em {place} diferem das de {other}: comece de novo com um vazio',
  'another move writes to {address}': 'outra cópia grava em {address}',
  '{address} holds data already: name an empty database': '{address} já contém dados: informe um banco de dados vazio',
  'the database is in use by {names}: stop its nodes first':
    'o banco de dados está em uso por {names}: pare antes os seus nós',
  '{named} holds data already: name a file that is not there':
    '{named} já contém dados: informe um arquivo que não existe',
  'the {what} of the database cannot be read from {file} ({cause}): create it, or correct {key}':
    '{what} do banco de dados: {file} não pode ser lido ({cause}): crie-o, ou corrija {key}',
  'the {what} of the database cannot be read from {file} ({cause}): {advice}':
    '{what} do banco de dados: {file} não pode ser lido ({cause}): {advice}',
  '{names}: give PostgreSQL its defaults again': '{names}: devolva ao PostgreSQL os seus padrões',
  'the database refused: {cause}': 'o banco de dados recusou: {cause}',
  'PostgreSQL at {host} cannot be reached (it does not answer): start it, or correct storage.url':
    'não há conexão com o PostgreSQL em {host} (ele não responde): inicie-o, ou corrija storage.url',
  'PostgreSQL at {host} cannot be reached ({first}): start it, or correct storage.url':
    'não há conexão com o PostgreSQL em {host} ({first}): inicie-o, ou corrija storage.url',
  'PostgreSQL at {place} does not prove with its certificate that it is {host} ({error}): name its issuers in storage.authorities, or correct the certificate':
    'O PostgreSQL em {place} não prova com o seu certificado que é {host} ({error}): informe os emissores em storage.authorities, ou corrija o certificado',
  'PostgreSQL at {place} offers no TLS: switch its ssl on, with a certificate for {host}':
    'O PostgreSQL em {place} não oferece TLS: ligue o ssl dele, com um certificado para {host}',
  'PostgreSQL at {host} wants a password of {user}: write it to a file, and name that in storage.passwordFile':
    'O PostgreSQL em {host} exige uma senha de {user}: grave-a em um arquivo, e informe-o em storage.passwordFile',
  '{place} does not let {user} in ({error}): create the user, or give it a line in pg_hba.conf':
    '{place} não aceita {user} ({error}): crie o usuário, ou dê-lhe uma linha em pg_hba.conf',
  '{place} has no database {database}: create it, or correct storage.url':
    '{place} não tem o banco de dados {database}: crie-o, ou corrija storage.url',
  '{place} has no room left for a connection or for data ({error}): give it more':
    '{place} não tem mais lugar para uma conexão ou para dados ({error}): aumente-o',
  '{place} is starting or stopping ({error}): try again when it is up':
    '{place} está iniciando ou parando ({error}): tente de novo quando estiver pronto',
  '{place} refused: {error}': '{place} recusou: {error}',
  '{place} refuses the password of {user}: write the right one to storage.passwordFile':
    '{place} recusa a senha de {user}: grave a certa em storage.passwordFile',
  '{user} lacks a right in the database {database} ({error}): give it what docs/examples/postgres-role.sql gives':
    'falta a {user} um direito no banco de dados {database} ({error}): dê-lhe o que docs/examples/postgres-role.sql dá',
  'all connections that read are busy': 'todas as conexões de leitura estão ocupadas',
  'PostgreSQL gave no answer within {limit} s': 'o PostgreSQL não respondeu em {limit} s',
  'the database has schema {version}, but this Portaria knows only up to {known}: run the newer Portaria that wrote it, or restore a backup from before the upgrade':
    'o banco de dados tem o esquema {version}, mas este Portaria só conhece até {known}: execute o Portaria mais novo que o gravou, ou restaure um backup de antes da atualização',
  'the database has schema {version}, this Portaria needs {count}: start the gateway once, it makes the schema':
    'o banco de dados tem o esquema {version}, e este Portaria precisa de {count}: inicie o gateway uma vez, ele cria o esquema',
  'the database holds nothing yet: start the gateway once, it makes the schema':
    'o banco de dados ainda está vazio: inicie o gateway uma vez, ele cria o esquema',
  'the database rolled the transaction back': 'o banco de dados desfez a transação',
  'a commit did not wait for the synchronous standby': 'um commit não esperou a réplica síncrona',
  'too many callbacks are waiting for the database': 'há callbacks demais à espera do banco de dados',
  references: 'referências',
  'rule {index} of {count}: no {violation}': 'regra {index} de {count} ({violation})',
  'the log of actions': 'o registro de ações',
  'the database holds only a part of another one: run {command} storage move again, which goes on where it was broken off':
    'o banco de dados só contém uma parte de outro: execute {command} storage move de novo, que continua de onde foi interrompido',
  'the database {file} cannot be read: {error}; {advice}, or check storage.url':
    'o banco de dados {file} não pode ser lido: {error}; {advice}, ou verifique storage.url',
  'cannot open the database {file}: {error}; check that its folder exists, is writable by this user and has free space':
    'o banco de dados {file} não pode ser aberto: {error}; verifique se a pasta existe, se este usuário pode gravar nela e se há espaço livre',
  'cannot open the database {file}: {error}; keep the files as they are and restore a backup ({command} storage restore FILE)':
    'o banco de dados {file} não pode ser aberto: {error}; mantenha os arquivos como estão e restaure um backup ({command} storage restore ARQUIVO)',
  'cannot open the database {file}: {error}; {advice}':
    'o banco de dados {file} não pode ser aberto: {error}; {advice}',
  'there is no database at {file} yet: start the gateway once ({command} serve), or check storage.url':
    'ainda não existe banco de dados em {file}: inicie o gateway uma vez ({command} serve), ou verifique storage.url',
  '{words} Put the database and its -wal file back as they were, or restore a backup ({command} storage restore FILE); to give up what is missing: {command} storage confirm-loss':
    '{words} Recoloque o banco de dados e o seu arquivo -wal como estavam, ou restaure um backup ({command} storage restore ARQUIVO); para desistir do que falta: {command} storage confirm-loss',
  '{words} Put the database and its -wal file back as they were, or restore what the gateway saved when it was removed ({command} storage restore {rescued}); to give up what is missing: {command} storage confirm-loss':
    '{words} Recoloque o banco de dados e o seu arquivo -wal como estavam, ou restaure o que o gateway salvou quando ele foi removido ({command} storage restore {rescued}); para desistir do que falta: {command} storage confirm-loss',
  '{file} {what}, but the database that was here {held} (noted in {note}): is its disk mounted, was it moved or removed?':
    '{file} {what}, mas o banco de dados que estava aqui {held} (anotado em {note}): o disco dele está montado, ele foi movido ou removido?',
  '{file} is another database than the one that was here, which {held} (noted in {note}).':
    '{file} é outro banco de dados que não o que estava aqui, que {held} (anotado em {note}).',
  '{file} ends at position {position}, but the database that was here {held} (noted in {note}): it is an older copy, or its log {log}-wal is missing.':
    '{file} termina na posição {position}, mas o banco de dados que estava aqui {held} (anotado em {note}): é uma cópia mais antiga, ou falta o log {log}-wal.',
  '{file} holds less than the database that was here at {savedAt} (noted in {note}): it is an older copy, or its log {log}-wal is missing.':
    '{file} contém menos que o banco de dados que estava aqui em {savedAt} (anotado em {note}): é uma cópia mais antiga, ou falta o log {log}-wal.',
  'was in use at {savedAt}': 'estava em uso em {savedAt}',
  'held events up to position {position} at {savedAt}': 'tinha eventos até a posição {position} em {savedAt}',
  'is not there': 'não está lá',
  'an unknown time': 'hora desconhecida',
  '{file} may be damaged: {words}, while the gateway ran, at {savedAt}. Restore a backup ({command} storage restore FILE); or look at it ({command} storage verify --chain), and if nothing but its end is missing, go on with it: {command} storage confirm-loss':
    '{file} pode estar danificado: {words}, enquanto o gateway funcionava, em {savedAt}. Restaure um backup ({command} storage restore ARQUIVO); ou examine-o ({command} storage verify --chain) e, se falta só o fim, continue com ele: {command} storage confirm-loss',
  '{file}.position cannot be read: {message}; {advice}': '{file}.position não pode ser lido: {message}; {advice}',
  'another portaria process owns {named}: stop it first, under systemd with its sockets (systemctl stop portaria.socket portaria-charges.socket portaria-api.socket portaria.service), or give this one a storage.url of its own':
    'outro processo do portaria usa {named}: pare-o antes, no systemd com os seus sockets (systemctl stop portaria.socket portaria-charges.socket portaria-api.socket portaria.service), ou dê a este um storage.url próprio',
  'cannot lock the database {file}: {error}; {advice}':
    'o banco de dados {file} não pode ser travado: {error}; {advice}',
  'the database {name} has schema {version}, this Portaria needs {needed}: start the gateway once, it migrates the database':
    'o banco de dados {name} tem o esquema {version}, e este Portaria precisa de {needed}: inicie o gateway uma vez, ele migra o banco de dados',
  'the database {name} has schema {version}, but this Portaria knows only up to {known}: run the newer Portaria that wrote it, or restore a backup from before the upgrade':
    'o banco de dados {name} tem o esquema {version}, mas este Portaria só conhece até {known}: execute o Portaria mais novo que o gravou, ou restaure um backup de antes da atualização',
  'the database {name} differs from schema {version} of Portaria: {names}. It was not changed. Another program or an unreleased Portaria has changed it: undo that change with the program that made it, or restore a backup ({command} storage restore FILE)':
    'o banco de dados {name} difere do esquema {version} do Portaria: {names}. Ele não foi alterado. Outro programa ou um Portaria não lançado o alterou: desfaça essa alteração com o programa que a fez, ou restaure um backup ({command} storage restore ARQUIVO)',
  'the database {name} differs from schema {version} of Portaria: {names}; and {count} more differences. It was not changed. Another program or an unreleased Portaria has changed it: undo that change with the program that made it, or restore a backup ({command} storage restore FILE)':
    'o banco de dados {name} difere do esquema {version} do Portaria: {names}; e mais {count} diferenças. Ele não foi alterado. Outro programa ou um Portaria não lançado o alterou: desfaça essa alteração com o programa que a fez, ou restaure um backup ({command} storage restore ARQUIVO)',
  '{file} is a folder: name a file in it in storage.url': '{file} é uma pasta: informe um arquivo dela em storage.url',
  '{file} is no SQLite database: name another file in storage.url, or move it away':
    '{file} não é um banco de dados SQLite: informe outro arquivo em storage.url, ou mova-o para outro lugar',
  '{file} is a database of another program, and was not changed: name another file in storage.url':
    '{file} é um banco de dados de outro programa, e não foi alterado: informe outro arquivo em storage.url',
  '{file} is a symbolic link to {target}, which is not there: is its disk mounted? For a new database name the file itself in storage.url':
    '{file} é um link simbólico para {target}, que não existe: o disco dele está montado? Para um banco de dados novo, informe o próprio arquivo em storage.url',
  '{file} is mounted as a single file: its log and its lock would stand elsewhere: mount the folder of the database instead':
    '{file} está montado como um arquivo só: o log e a trava dele ficariam em outro lugar: monte a pasta do banco de dados',
  '{file} is also named {other}: a restore was broken off before it had replaced anything: restore again ({command} storage restore FILE), or go on with the database as it was: rm {other}':
    '{file} também se chama {other}: uma restauração foi interrompida antes de substituir algo: restaure de novo ({command} storage restore ARQUIVO), ou continue com o banco de dados como estava: rm {other}',
  '{file} has {count} names (hard links), through which two gateways could own it: find the others (find DIRECTORY -xdev -samefile {file}) and remove them, or replace them by copies ({command} storage backup)':
    '{file} tem {count} nomes (hard links), pelos quais dois gateways poderiam usá-lo: encontre os outros (find DIRETÓRIO -xdev -samefile {file}) e remova-os, ou substitua-os por cópias ({command} storage backup)',
  '{file} is not there, but its log {log}-wal is: put the database back beside its log, or move the log away and restore a backup ({command} storage restore FILE)':
    '{file} não existe, mas o log {log}-wal existe: recoloque o banco de dados ao lado do log, ou mova o log para outro lugar e restaure um backup ({command} storage restore ARQUIVO)',
  '{file} has {size} bytes of {all}: its end is cut off: keep the files as they are and put the whole database back, or restore a backup ({command} storage restore FILE)':
    '{file} tem {size} bytes de {all}, e falta o fim: mantenha os arquivos como estão e recoloque o banco de dados inteiro, ou restaure um backup ({command} storage restore ARQUIVO)',
  '{file} is empty, and its log is not: keep the files as they are and put the whole database back, or restore a backup ({command} storage restore FILE)':
    '{file} está vazio, e o log dele não: mantenha os arquivos como estão e recoloque o banco de dados inteiro, ou restaure um backup ({command} storage restore ARQUIVO)',
  '{folder} is on a network file system ({type}), where SQLite can lose what it has stored: name a folder on a local disk of this machine in storage.url, or mount a volume of a local disk there':
    '{folder} está em um sistema de arquivos de rede ({type}), onde o SQLite pode perder o que armazenou: informe em storage.url uma pasta em um disco local desta máquina, ou monte ali um volume de um disco local',
  '{file} was replaced beside {log}-wal, the log of the database that was here before, which would destroy it: put the former database back; or move {log}-wal away and use {command} storage restore FILE, which replaces both':
    '{file} foi substituído ao lado de {log}-wal, o log do banco de dados que estava aqui antes, que o destruiria: recoloque o banco de dados anterior; ou mova {log}-wal para outro lugar e use {command} storage restore ARQUIVO, que substitui os dois',
  'the store is closed': 'o armazenamento está fechado',
  '{target} could not be written: {error}': '{target} não pôde ser gravado: {error}',
  'what was written to {target} is not sound: {names}; look at the disk':
    'o que foi gravado em {target} está danificado: {names}; verifique o disco',
  'the gateway has lost its database: {words}': 'o gateway perdeu o seu banco de dados: {words}',
  'search index: part {index} of {count}': 'índice de busca: parte {index} de {count}',
  'every page and index': 'todas as páginas e índices',
  'the index of subjects': 'o índice de assuntos',
  'sealed blocks of the deduplication': 'blocos selados da deduplicação',
  'the writer thread has ended': 'a thread de gravação terminou',
  'too many callbacks are waiting for the disk': 'há callbacks demais à espera do disco',
  'the batch could not be sent to the writer: {cause}': 'o lote não pôde ser enviado à thread de gravação: {cause}',
  'the writer thread has failed: {message}': 'a thread de gravação falhou: {message}',
  'a reader uses the log, so it cannot be restarted yet':
    'uma leitura usa o log, e por isso ele ainda não pode ser reiniciado',
  'the database was lost: {words}': 'o banco de dados foi perdido: {words}',
  'the disk failed; the store is being opened again': 'o disco falhou; o armazenamento está sendo reaberto',
  'the database refused the write: {error}': 'o banco de dados recusou a gravação: {error}',
  'a thread of the verification failed: {cause}': 'uma thread da verificação falhou: {cause}',
  'more callbacks are waiting for the disk than storage.queue allows':
    'há mais callbacks à espera do disco do que storage.queue permite',
  'the store is closing': 'o armazenamento está fechando',
  'the database was lost; the gateway is ending': 'o banco de dados foi perdido; o gateway está terminando',
  '{words}; the store is being opened again': '{words}; o armazenamento está sendo reaberto',
  '"{name}" in {path} is a symbolic link of user {user}, and root does not write through other users\' links: name its target, or run the command as that user':
    '"{name}" em {path} é um link simbólico do usuário {user}, e root não grava através de links de outros usuários: informe o alvo dele, ou execute o comando como esse usuário',
  "{path} is a symbolic link of user {user}, and root does not write through other users' links: name its target, or run the command as that user":
    '{path} é um link simbólico do usuário {user}, e root não grava através de links de outros usuários: informe o alvo dele, ou execute o comando como esse usuário',
  'the URL of the database {problem}': 'a URL do banco de dados {problem}',
  'the reader thread has failed: {cause}': 'a thread de leitura falhou: {cause}',
  'the reader thread has ended': 'a thread de leitura terminou',
  'create it, or correct {key}': 'crie-o, ou corrija {key}',
  "the database holds tables that are not Portaria's ({names}): create an empty database for Portaria, and name that one":
    'o banco de dados contém tabelas que não são do Portaria ({names}): crie um banco de dados vazio para o Portaria, e informe esse',
  'the nodes that run now ({names}) cannot work with schema {version}: stop them, then start this one':
    'os nós em execução agora ({names}) não funcionam com o esquema {version}: pare-os, e depois inicie este',
  'PostgreSQL {version} is too old: Portaria needs version {needed} or newer, upgrade the server':
    'O PostgreSQL {version} é antigo demais: o Portaria precisa da versão {needed} ou mais nova; atualize o servidor',
  'this PostgreSQL is a standby, which only reads: name the primary in storage.url, or promote this one':
    'este PostgreSQL é uma réplica, que só lê: informe o primário em storage.url, ou promova este',
  'the database may only be read: set default_transaction_read_only to off for it and its user':
    'o banco de dados só pode ser lido: defina default_transaction_read_only como off para ele e o seu usuário',
  'the database has the encoding {encoding}: create one with the encoding UTF8':
    'o banco de dados tem a codificação {encoding}: crie um com a codificação UTF8',
  '{which} was removed, and not by retention': '{which} foi removido, e não pela retenção',
  '{which} were removed, and not by retention': '{which} foram removidos, e não pela retenção',
  '{which} was altered, or moved to another position': '{which} foi alterado, ou movido para outra posição',
  '{which} were altered, or moved to another position': '{which} foram alterados, ou movidos para outra posição',
  'it does not fit the hash': 'ele não corresponde ao hash',
  'they do not fit the hash': 'eles não correspondem ao hash',
  '{which} was inserted: retention had removed the event at this position, or there was none':
    '{which} foi inserido: a retenção tinha removido o evento nesta posição, ou não havia nenhum',
  '{which} were inserted: retention had removed the event at this position, or there was none':
    '{which} foram inseridos: a retenção tinha removido o evento nesta posição, ou não havia nenhum',
  'events {from} to {to}': 'eventos {from} a {to}',
  'the payload of {which} was altered': 'o conteúdo de {which} foi alterado',
  'the payload of {which} were altered': 'o conteúdo de {which} foi alterado',
  '{which} was cut off from the end': '{which} foi cortado do fim',
  '{which} were cut off from the end': '{which} foram cortados do fim',
  'it was stored, and nothing of it is left': 'ele foi gravado, e nada dele restou',
  'they were stored, and nothing of them is left': 'eles foram gravados, e nada deles restou',
  'it was stored, and nothing of them is left': 'eles foram gravados, e nada deles restou',
  'they were stored, and nothing of it is left': 'ele foi gravado, e nada dele restou',
  'the database is not whole, {names} is missing: restore it from a backup into an empty database':
    'o banco de dados não está completo, falta {names}: restaure-o de um backup em um banco de dados vazio',
  'another build of Portaria made the schema of the database: run that one, or create an empty database':
    'outra compilação do Portaria criou o esquema do banco de dados: execute aquela, ou crie um banco de dados vazio',
  'the database has schema {version} of a development version of Portaria, from before its first release, and was not changed: run that version to read it, or create an empty database':
    'o banco de dados tem o esquema {version} de uma versão de desenvolvimento do Portaria, de antes do primeiro lançamento, e não foi alterado: execute aquela versão para lê-lo, ou crie um banco de dados vazio',
  '{file} has schema {schema} of a development version of Portaria, from before its first release, and was not changed: run that version to read it, or name another file in storage.url':
    '{file} tem o esquema {schema} de uma versão de desenvolvimento do Portaria, de antes do primeiro lançamento, e não foi alterado: execute aquela versão para lê-lo, ou informe outro arquivo em storage.url',
  'no schema of the search_path is there, or this user may not use it: create one for the user':
    'não existe nenhum esquema do search_path, ou este usuário não pode usá-lo: crie um para o usuário',
  'The events differ from those that were stored:': 'Os eventos diferem dos que foram gravados:',
  'The end of the audit chain: {end}': 'O fim da cadeia de auditoria: {end}',
  'not known': 'desconhecido',
  'Keep the files as they are: they are evidence. An earlier backup may show the original.':
    'Mantenha os arquivos como estão: eles são provas. Um backup anterior pode mostrar o original.',
  'Not proved:': 'Não comprovado:',
  'No event was altered, inserted, or removed by hand: {events} follow from one another, {count} of them without their payload. Retention has removed none.':
    'Nenhum evento foi alterado, inserido ou removido manualmente: {events} em sequência, {count} deles sem o conteúdo. A retenção não removeu nenhum.',
  'No event was altered, inserted, or removed by hand: {events} follow from one another, {count} of them without their payload. Retention has removed {removed}.':
    'Nenhum evento foi alterado, inserido ou removido manualmente: {events} em sequência, {count} deles sem o conteúdo. A retenção removeu {removed}.',
  'everything up to {position}': 'tudo até {position}',
  'Write it down in a place that cannot be changed from this machine, and check it later with: --expect {end}':
    'Anote-o em um lugar que não possa ser alterado desta máquina, e verifique-o depois com: --expect {end}',
  'interrupted: the events of {file} were not checked completely':
    'interrompido: os eventos de {file} não foram verificados por completo',
  'measuring {table}': 'medindo {table}',
  measured: 'medido',
  'a word of fewer than {count} characters matches whole words only: type more of it':
    'uma palavra com menos de {count} caracteres só corresponde a palavras inteiras: digite mais dela',

  '{size} a day, of {count} callbacks': '{size} por dia, de {count} callbacks',
  '{words}, at this rate; what retention removes is taken into account':
    '{words}, neste ritmo; o que a retenção remove está considerado',
  'not within ten years': 'não nos próximos dez anos',
  'within a day': 'em menos de um dia',
  'every event is in it': 'todos os eventos estão nele',
  '{count} events after position {position} are not in it yet':
    '{count} eventos depois da posição {position} ainda não estão nele',
  'it is being made again': 'está sendo refeito',
  'Its pages and indexes are checked by PostgreSQL: data checksums, and pg_amcheck. Its search index is an index of PostgreSQL.':
    'As suas páginas e os seus índices são verificados pelo PostgreSQL: data checksums e pg_amcheck. O seu índice de busca é um índice do PostgreSQL.',
}
