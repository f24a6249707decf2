import type { Texts } from '../../../translator.ts'

/** Help of `storage`. */
export const STORAGE_HELP: Texts = {
  'Back up, check, export and clean the database': 'Faz backup do banco de dados, verifica-o, exporta-o e o limpa',
  'Back up the database to a file, with or without a running gateway; the backup holds payloads and secrets':
    'Faz backup do banco de dados em um arquivo, com ou sem gateway em execução; o backup contém conteúdos e segredos',
  'file of the backup; it appears once the backup is complete and checked':
    'arquivo do backup; ele só aparece quando o backup está completo e verificado',
  'replace an existing file': 'substitui um arquivo existente',
  'Replace the database by a backup; the old database is kept, and the gateway must be stopped':
    'Substitui o banco de dados por um backup; o antigo é guardado, e o gateway precisa estar parado',
  'the backup; it is checked first and never changed': 'o backup; primeiro ele é verificado, e nunca é alterado',
  'do not ask for confirmation': 'não pede confirmação',
  'Accept that events are missing, and continue with the present database or a new one; the gateway must be stopped':
    'Aceita que faltam eventos e continua com o banco de dados atual ou com um novo; o gateway precisa estar parado',
  'Check the database: the integrity checks of SQLite and its search index, and every invariant of the data':
    'Verifica o banco de dados: a integridade segundo o SQLite e o índice de busca, e cada invariante dos dados',
  'a backup or another database (default: storage.url); it is not changed':
    'um backup ou outro banco de dados (padrão: storage.url); ele não é alterado',
  'also check the audit chain: no event was altered, inserted, or removed other than by retention':
    'verifica também a cadeia de auditoria: nenhum evento foi alterado, inserido ou removido, a não ser pela retenção',
  'also check a position and hash of the audit chain that an earlier run printed; may be repeated':
    'verifica também uma posição e um hash da cadeia de auditoria impressos antes; pode ser repetida',
  'Show disk use by table, its growth, and when the disk will be full':
    'Mostra o uso do disco por tabela, o crescimento e quando o disco ficará cheio',
  'Write events to standard output as JSON Lines, oldest first, with or without a running gateway':
    'Escreve eventos na saída padrão como JSON Lines, os mais antigos primeiro, com ou sem gateway em execução',
  'only events after this one, evt_…: continues an export that was interrupted':
    'só eventos depois deste, evt_…: continua uma exportação interrompida',
  'without the data of the events': 'sem os dados dos eventos',
  'with the caller, the request and the hashes of each event':
    'com o chamador, a requisição e os hashes de cada evento',
  'with the deliveries of each event and every attempt': 'com as entregas de cada evento e cada tentativa',
  'Remove now what storage.retention no longer keeps; a running gateway does so continuously':
    'Remove agora o que storage.retention não guarda mais; um gateway em execução o faz continuamente',
  'Remove the data of a subject permanently and cancel its pending deliveries; hashes, metadata, backups and logs stay':
    'Remove definitivamente os dados de um assunto e cancela as suas entregas pendentes; hashes, metadados, backups e logs permanecem',
  'the business id whose data is removed': 'o identificador de negócio cujos dados são removidos',
  'Make the search index again from the stored events; after Ctrl-C a running gateway continues with it':
    'Refaz o índice de busca a partir dos eventos gravados; depois de Ctrl-C, um gateway em execução o continua',
  'Confirm that the clock is right after a long pause; until then nothing is removed or expired by age. Compare it with another clock first':
    'Confirma que o relógio está certo depois de uma longa pausa; até lá nada é removido nem vence por idade. Compare-o antes com outro relógio',
  'Copy the whole database to another one, such as from SQLite to PostgreSQL, while no gateway uses either':
    'Copia todo o banco de dados para outro, por exemplo do SQLite para o PostgreSQL, enquanto nenhum gateway usa nenhum dos dois',
  'the new database, as in storage.url; empty, or of a move that was broken off':
    'o novo banco de dados, como em storage.url; vazio, ou de uma mudança interrompida',
  'file with the password of the new database': 'arquivo com a senha do novo banco de dados',
  "PEM file with the authorities of the new server's certificate":
    'arquivo PEM com as autoridades do certificado do novo servidor',
}
