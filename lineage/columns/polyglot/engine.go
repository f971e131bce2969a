package polyglot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// memoryPages limits the module's memory, in pages of 64 KB: 1 GB. The largest
// models of the public projects need 90 MB.
const memoryPages = 16384

// Engine is the compiled module with one instance of it. It answers one question
// at a time.
type Engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	module   api.Module // nil after a failure: the next question makes a new one
	said     complaints
}

// Open reads, checks and compiles the module in a folder. The compiled form is
// kept in the folder, so that only the first time takes long (a minute of CPU).
func Open(ctx context.Context, folder string) (*Engine, error) {
	module, err := Module(folder)
	if err != nil {
		return nil, err
	}
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(folder, "compiled"))
	if err != nil {
		return nil, fmt.Errorf("open the cache of the compiled SQL engine: %w", err)
	}
	config := wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(memoryPages).WithDebugInfoEnabled(false)
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if e.compiled, err = e.runtime.CompileModule(ctx, module); err != nil {
		return nil, errors.Join(fmt.Errorf("compile the SQL engine: %w", err), e.Close(ctx))
	}
	if err := addHost(ctx, e.runtime, e.compiled, &e.said); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

// Close ends the engine.
func (e *Engine) Close(ctx context.Context) error {
	if err := e.runtime.Close(ctx); err != nil {
		return fmt.Errorf("close the SQL engine: %w", err)
	}
	return nil
}

// Analyze asks the engine what a query's columns come from. options are the
// engine's own: dialect and schema. The answer is the engine's document; what the
// engine refuses is an error with its words.
func (e *Engine) Analyze(ctx context.Context, sql string, options json.RawMessage) (json.RawMessage, error) {
	if e.module == nil {
		module, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			return nil, fmt.Errorf("start the SQL engine: %w", err)
		}
		e.module = module
	}
	text, err := e.call(ctx, sql, string(options))
	if err != nil {
		// What an instance has in its memory after a failure is not known.
		err = errors.Join(err, e.module.Close(ctx))
		e.module = nil
		return nil, err
	}
	var answer struct {
		Success  bool            `json:"success"`
		Analysis json.RawMessage `json:"analysis"`
		Error    string          `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, fmt.Errorf("read the answer of the SQL engine: %w", err)
	}
	if !answer.Success {
		return nil, errors.New(answer.Error)
	}
	return answer.Analysis, nil
}

// call is analyze_query(sql, options) as wasm-bindgen passes text: place and
// length in memory that the module hands out, the result's in 8 bytes on its
// stack.
func (e *Engine) call(ctx context.Context, args ...string) (string, error) {
	e.said.last = ""
	result, err := e.invoke(ctx, "__wbindgen_add_to_stack_pointer", api.EncodeI32(-16))
	if err != nil {
		return "", err
	}
	params := []uint64{result}
	for _, arg := range args {
		at, err := e.put(ctx, arg)
		if err != nil {
			return "", err
		}
		params = append(params, at, uint64(len(arg)))
	}
	if _, err := e.invoke(ctx, "analyze_query", params...); err != nil {
		return "", err
	}
	place, ok := e.module.Memory().ReadUint64Le(uint32(result)) //nolint:gosec // a pointer of 32 bits
	if !ok {
		return "", errors.New("the SQL engine put its answer outside its memory")
	}
	at, length := place&0xffffffff, place>>32
	text := textAt(e.module, at, length)
	if _, err := e.invoke(ctx, "__wbindgen_export4", at, length, 1); err != nil { // free
		return "", err
	}
	_, err = e.invoke(ctx, "__wbindgen_add_to_stack_pointer", 16)
	return text, err
}

// put writes a text into memory that the module hands out and frees itself.
func (e *Engine) put(ctx context.Context, text string) (uint64, error) {
	at, err := e.invoke(ctx, "__wbindgen_export", uint64(len(text)), 1) // malloc
	if err != nil {
		return 0, err
	}
	if !e.module.Memory().WriteString(uint32(at), text) { //nolint:gosec // a pointer of 32 bits
		return 0, errors.New("the SQL engine handed out what is no memory")
	}
	return at, nil
}

// invoke calls one of the module's functions; 0 where it returns nothing.
func (e *Engine) invoke(ctx context.Context, name string, params ...uint64) (uint64, error) {
	f := e.module.ExportedFunction(name)
	if f == nil {
		return 0, fmt.Errorf("the SQL engine has no function %s", name)
	}
	results, err := f.Call(ctx, params...)
	if err != nil {
		if e.said.last != "" {
			return 0, fmt.Errorf("the SQL engine failed: %s", e.said.last)
		}
		return 0, fmt.Errorf("the SQL engine failed: %w", err)
	}
	if len(results) == 0 {
		return 0, nil
	}
	return results[0], nil
}
