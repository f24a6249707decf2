<?php
// Receives forwarded events with Laravel: verifies signatures (Standard Webhooks) and stores each event once. PHP 8, Laravel 8 or newer.
// Copy it to app/Http/Controllers/HookController.php.
//   routes/api.php, whose routes have no CSRF token:  Route::post('/hook', App\Http\Controllers\HookController::class);
//   config/services.php:  'portaria' => ['secrets' => env('WEBHOOK_SECRET')],
//   a migration:
//     Schema::create('portaria_events', function (Blueprint $table) {
//         $table->string('id')->primary();
//         $table->string('kind')->nullable();
//         $table->longText('body_base64');
//     });
// WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
// PHP keeps no raw bytes of a multipart form, as which charge tokens may come: `format: event` at the destination sends JSON instead.

namespace App\Http\Controllers;

use Illuminate\Database\QueryException;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\DB;

final class HookController
{
    private const TOLERANCE_SECONDS = 300;

    public function __invoke(Request $request): Response
    {
        $body = $request->getContent(); // the raw bytes: $request->all() and $request->json() are parsed
        if (!self::isGenuine($request, $body)) {
            return response('invalid signature', 401);
        }
        // The primary key decides, also between two requests at the same time. In base64 every database keeps the bytes.
        $events = DB::table('portaria_events');
        $id = $request->header('webhook-id');
        $kind = $request->header('portaria-kind');
        try {
            $events->insert(['id' => $id, 'kind' => $kind, 'body_base64' => base64_encode($body)]);
        } catch (QueryException $error) {
            // insertOrIgnore would hide other errors too, on MySQL: a cut body, for instance.
            if ($events->where('id', $id)->exists()) {
                return response('repeated');
            }
            throw $error;
        }
        // Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
        return response('stored');
    }

    private static function isGenuine(Request $request, string $body): bool
    {
        $id = $request->header('webhook-id', '');
        $timestamp = $request->header('webhook-timestamp', '');
        // An old delivery that was recorded and is sent again is refused.
        if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            return false;
        }
        $given = explode(' ', $request->header('webhook-signature', ''));
        foreach (explode(' ', config('services.portaria.secrets')) as $secret) {
            $key = base64_decode(substr($secret, strlen('whsec_')));
            if (strlen($key) < 24) {
                throw new \RuntimeException('services.portaria.secrets is not whsec_ and base64');
            }
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            // While the secret rotates there are two signatures; one of them must be right.
            foreach ($given as $one) {
                if (hash_equals($expected, $one)) {
                    return true;
                }
            }
        }
        return false;
    }
}
