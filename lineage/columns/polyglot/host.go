package polyglot

import (
	"context"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostModule is the name under which the module imports what JavaScript gives it.
const hostModule = "./polyglot_sql_wasm_bg.js"

// complaints keeps what the engine said before it gave up.
type complaints struct{ last string }

// addHost gives the module its imports. Of what wasm-bindgen lists, the functions
// that take and return text need only those that report a failure; each of the
// others ends the call with its name, rather than answer something.
func addHost(ctx context.Context, r wazero.Runtime, compiled wazero.CompiledModule, said *complaints) error {
	builder := r.NewHostModuleBuilder(hostModule)
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module != hostModule {
			return fmt.Errorf("the SQL engine imports %q, which dw does not have", module)
		}
		builder.NewFunctionBuilder().
			WithGoModuleFunction(said.function(name), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	if _, err := builder.Instantiate(ctx); err != nil {
		return fmt.Errorf("give the SQL engine its imports: %w", err)
	}
	return nil
}

func (c *complaints) function(name string) api.GoModuleFunc {
	switch base, _ := cutHash(name); base {
	case "__wbg___wbindgen_throw":
		return func(_ context.Context, m api.Module, stack []uint64) {
			c.last = textAt(m, stack[0], stack[1])
			panic(fmt.Errorf("the SQL engine gave up: %s", c.last)) //nolint:forbidigo // wazero turns it into the call's error
		}
	case "__wbg_error":
		return func(_ context.Context, m api.Module, stack []uint64) { c.last = textAt(m, stack[0], stack[1]) }
	case "__wbindgen_object_drop_ref":
		return func(context.Context, api.Module, []uint64) {}
	case "__wbg_stack":
		// A stack of no length: the caller takes the text's place and length.
		return func(_ context.Context, m api.Module, stack []uint64) {
			m.Memory().WriteUint64Le(uint32(stack[0]), uint64(1)) //nolint:gosec // a pointer of 32 bits
		}
	}
	if strings.HasPrefix(name, "__wbg_new_8a6f238a6ece86ea") { // new Error(), for its stack alone
		return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 1 }
	}
	return func(context.Context, api.Module, []uint64) {
		panic(fmt.Errorf("the SQL engine asked for %s, which dw does not give", name)) //nolint:forbidigo // as above
	}
}

// cutHash takes off the hash that wasm-bindgen puts behind a name.
func cutHash(name string) (string, bool) {
	at := strings.LastIndexByte(name, '_')
	if at < 0 || len(name)-at-1 != 16 {
		return name, false
	}
	return name[:at], true
}

func textAt(m api.Module, at, length uint64) string {
	text, ok := m.Memory().Read(uint32(at), uint32(length)) //nolint:gosec // a pointer of 32 bits
	if !ok {
		return "(its message lies outside its memory)"
	}
	return string(text)
}
