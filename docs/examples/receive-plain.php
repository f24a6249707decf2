<?php
// Receives forwarded events in PHP without a framework: verifies signatures (Standard Webhooks) and stores each event once.
// PHP 7.4 or newer with PDO for MySQL, MariaDB or SQLite, under Apache or PHP-FPM: what usual shared hosting has.
// Copy it into the public folder, for example to public_html/hook.php; the destination is https://your.site/hook.php.
// Its settings are in portaria-settings.php, beside the public folder and not in it:
//   <?php return [
//       'secrets' => 'whsec_…',                              // two, separated by a space, while you rotate them
//       'database' => 'mysql:host=localhost;dbname=shop',    // or sqlite:/home/you/portaria.db, not in the public folder
//       'user' => 'shop', 'password' => '…',                 // of MySQL
//   ];
// PHP keeps no raw bytes of a multipart form, as which charge tokens may come: `format: event` at the destination sends JSON instead.
// A body above post_max_size of PHP (often 8 MB) is refused: nothing of it is lost, the gateway sends it again.

const TOLERANCE_SECONDS = 300;
const MOST_BYTES = 16 * 1024 * 1024;

// Where PHP shows its errors, it answers 200 after one: the event would count as delivered. Only what was stored overwrites this.
http_response_code(500);
ini_set('display_errors', '0');
header('Content-Type: text/plain');

$settings = require dirname(__DIR__) . '/portaria-settings.php';
[$status, $text] = receive(keysOf($settings['secrets']), $settings);
http_response_code($status);
echo $text;

function receive(array $keys, array $settings): array
{
    $body = file_get_contents('php://input', false, null, 0, MOST_BYTES + 1); // the raw bytes: never parsed and written again
    if (strlen($body) > MOST_BYTES) {
        return [413, 'too large'];
    }
    if (!isGenuine($body, $keys)) {
        return [401, 'invalid signature'];
    }
    $isNew = store($settings, $_SERVER['HTTP_WEBHOOK_ID'], $_SERVER['HTTP_PORTARIA_KIND'] ?? null, $body);
    // Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return [200, $isNew ? 'stored' : 'repeated'];
}

function keysOf(string $secrets): array
{
    return array_map(static function (string $secret): string {
        $key = (string) base64_decode(substr($secret, strlen('whsec_')), true);
        if (strlen($key) < 24) {
            throw new RuntimeException('secrets is not whsec_ and base64');
        }
        return $key;
    }, explode(' ', $secrets));
}

function isGenuine(string $body, array $keys): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    // An old delivery that was recorded and is sent again is refused.
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    // While the secret rotates there are two signatures; one of them must be right.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        foreach ($keys as $key) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            if (hash_equals($expected, $given)) {
                return true;
            }
        }
    }
    return false;
}

/** Stores the event once, on disk when it returns. False: it was stored before. */
function store(array $settings, string $id, ?string $kind, string $body): bool
{
    $errors = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]; // PHP 7 goes on after an error of the database without it
    $db = new PDO($settings['database'], $settings['user'] ?? null, $settings['password'] ?? null, $errors);
    $isMysql = $db->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql';
    // MyISAM, which some hosts have as their default, can lose what it has confirmed.
    $engine = $isMysql ? ' ENGINE=InnoDB' : '';
    $db->exec("CREATE TABLE IF NOT EXISTS events (id VARCHAR(190) PRIMARY KEY, kind VARCHAR(64), body LONGBLOB NOT NULL)$engine");
    $insert = $db->prepare('INSERT INTO events (id, kind, body) VALUES (?, ?, ?)');
    $insert->bindValue(1, $id);
    $insert->bindValue(2, $kind);
    $insert->bindValue(3, $body, PDO::PARAM_LOB);
    try {
        return $insert->execute();
    } catch (PDOException $error) {
        // The primary key decides, also between two requests at the same time. INSERT IGNORE would hide other errors, too.
        $known = $db->prepare('SELECT 1 FROM events WHERE id = ?');
        $known->execute([$id]);
        if ($known->fetchColumn() === false) {
            throw $error;
        }
        return false;
    }
}
