package signals

import "testing"

// The wanted texts and signatures are those of Python's urllib.parse.urlencode,
// json and hmac.
func TestMonteCarloSignsWhatPythonWrites(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, encoded, signature string }{
		{
			"{\"version\":\"v0.1\",\"type\":\"x y\",\"account\":{\"id\":\"9a59\"},\"payload\":{\"a\":null,\"b\":true,\"c\":[1,2.0,\"it's\"],\"d\":{}}}",
			"version=v0.1&type=x+y&account=%7B%27id%27%3A+%279a59%27%7D&payload=%7B%27a%27%3A+None%2C+%27b%27%3A+True%2C+%27c%27%3A+%5B1%2C+2.0%2C+%22it%27s%22%5D%2C+%27d%27%3A+%7B%7D%7D",
			"46e13a12b2a47f3e40247c530c6943be64680ada3b446e10c3d0ca51ac9759d64ad5a55c57358abcf717d56612adb2249fb139028dd784f2b36c46490d0f7be3",
		},
		{
			"{\"a\":\"h\\u00e9 \\\"q\\\" \\ud83d\\ude00\",\"b\":{\"k\":\"l\\n\\t\\\\ \\u0007\\u00ad\\u200b\\u2028\",\"both\":\"\\\"'\"},\"n\":-0,\"f\":[1e22,1.5e-7,123456789012345.0,1e16,9999999999999998.0,0.0001,-0.0,1E400,0.1]}",
			"a=h%C3%A9+%22q%22+%F0%9F%98%80&b=%7B%27k%27%3A+%27l%5Cn%5Ct%5C%5C+%5Cx07%5Cxad%5Cu200b%5Cu2028%27%2C+%27both%27%3A+%27%22%5C%27%27%7D&n=0&f=%5B1e%2B22%2C+1.5e-07%2C+123456789012345.0%2C+1e%2B16%2C+9999999999999998.0%2C+0.0001%2C+-0.0%2C+inf%2C+0.1%5D",
			"35cbf3aff7a3ec222dee50b0dc5d01410db90f14b6edeb42dc2f41aeab0561621f00e9242ea3ec378c0a67e0ce113e914d70500c92e5cebbef1049cb0852e42e",
		},
		{
			"{\"dup\":1,\"x\":false,\"dup\":[null]}",
			"dup=%5BNone%5D&x=False",
			"9a803a67078ec90eda8635d25fa958267e1bfa37682518a7244bc279727f6d9ac9e6746757c2ac85f24aceccb6c81a6c07a3d5d8a997fc86cbe927e082a30b01",
		},
	} {
		text, err := urlencoded([]byte(tc.body))
		if err != nil || text != tc.encoded {
			t.Errorf("%s is written as\n%s, %v, want\n%s", tc.body, text, err, tc.encoded)
		}
		if sent, err := SignMonteCarlo("key-of-sixteen-chars", []byte(tc.body)); err != nil || sent != tc.signature {
			t.Errorf("%s is signed with %s, %v, want %s", tc.body, sent, err, tc.signature)
		}
		if !monteCarloGenuine("key-of-sixteen-chars", []byte(tc.body), tc.signature) {
			t.Errorf("%s: its own signature is refused", tc.body)
		}
	}
}

func TestMonteCarloSignaturesThatAreRefused(t *testing.T) {
	t.Parallel()
	const key, body = "key-of-sixteen-chars", `{"type":"x"}`
	good, err := SignMonteCarlo(key, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ key, body, sent string }{
		"another key":  {"another-key-of-sixteen", body, good},
		"another body": {key, `{"type":"y"}`, good},
		"cut":          {key, body, good[:64]},
		"no hex":       {key, body, "zz" + good[2:]},
		"empty":        {key, body, ""},
		"a list":       {key, `[1]`, good},
	} {
		if monteCarloGenuine(tc.key, []byte(tc.body), tc.sent) {
			t.Errorf("%s is taken for genuine", name)
		}
	}
}
