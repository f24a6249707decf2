<?php
// A small application of Debian's Laravel around HookController.php, which is beside this file: routes, database and table.

use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\Facades\Schema;

// This Laravel is older than Debian's PHP.
error_reporting(E_ALL & ~E_DEPRECATED);
require '/usr/share/php/Illuminate/autoload.php';
require __DIR__ . '/HookController.php';

final class Errors extends Illuminate\Foundation\Exceptions\Handler
{
    public function report(Throwable $error): void
    {
        fwrite(fopen('php://stderr', 'w'), "$error\n");
    }
}

final class Kernel extends Illuminate\Foundation\Http\Kernel
{
    // Laravel's own also takes the deprecations of PHP for errors.
    protected $bootstrappers = [
        Illuminate\Foundation\Bootstrap\RegisterFacades::class,
        Illuminate\Foundation\Bootstrap\RegisterProviders::class,
        Illuminate\Foundation\Bootstrap\BootProviders::class,
    ];
}

@mkdir(__DIR__ . '/bootstrap/cache', recursive: true);
$app = new Illuminate\Foundation\Application(__DIR__);
$app->singleton(Illuminate\Contracts\Http\Kernel::class, Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Errors::class);
$app->instance('config', new Illuminate\Config\Repository([
    'app' => ['debug' => false, 'env' => 'production', 'providers' => [
        Illuminate\Database\DatabaseServiceProvider::class,
        Illuminate\Filesystem\FilesystemServiceProvider::class,
        Illuminate\View\ViewServiceProvider::class,
    ]],
    'database' => [
        'default' => 'sqlite',
        'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => getenv('STORE'), 'prefix' => '']],
    ],
    'view' => ['paths' => [], 'compiled' => sys_get_temp_dir()],
    'services' => ['portaria' => ['secrets' => getenv('WEBHOOK_SECRET')]],
]));
$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$kernel->bootstrap();
if (PHP_SAPI === 'cli') {
    touch(getenv('STORE'));
    Schema::create('portaria_events', function (Blueprint $table) {
        $table->string('id')->primary();
        $table->string('kind')->nullable();
        $table->longText('body_base64');
    });
    return;
}
Route::post('/hook', App\Http\Controllers\HookController::class);
$response = $kernel->handle($request = Illuminate\Http\Request::capture());
$response->send();
$kernel->terminate($request, $response);
